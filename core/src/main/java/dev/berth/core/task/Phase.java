package dev.berth.core.task;

import java.time.Instant;
import java.util.Optional;

/** State of an attempt's processes. */
public sealed interface Phase {

    /** The shim's process; empty if it was never seen alive. */
    Optional<ShimProcess> shimProcess();

    /**
     * A cluster was asked to run it: it has no claims, and may wait there for any time. Node, boot
     * and GPUs are learned when it starts.
     */
    record Handed() implements Phase {
        @Override
        public Optional<ShimProcess> shimProcess() {
            return Optional.empty();
        }
    }

    /** The claims are committed; it is not known yet whether the shim has started. */
    record Starting() implements Phase {
        @Override
        public Optional<ShimProcess> shimProcess() {
            return Optional.empty();
        }
    }

    record Running(ShimProcess process) implements Phase {
        @Override
        public Optional<ShimProcess> shimProcess() {
            return Optional.of(process);
        }
    }

    /**
     * The stop is committed, so the server resumes it after a restart. It is complete when no
     * process of the attempt is left.
     */
    record Stopping(Optional<ShimProcess> shimProcess, StopCause cause, Instant since)
            implements Phase {}

    /** Berth cannot observe the attempt: the claims stay until a fact or a person decides. */
    record Lost(Optional<ShimProcess> shimProcess, String reason) implements Phase {}

    /**
     * It cannot be stopped: a process survived SIGKILL, or Berth lost sight of it. The claims stay.
     */
    record Stuck(Optional<ShimProcess> shimProcess, StopCause cause, String survivors)
            implements Phase {}

    record Ended(Optional<ShimProcess> shimProcess, Ending ending, Instant at) implements Phase {}

    default boolean isLive() {
        return !(this instanceof Ended);
    }

    /** Why the attempt is being stopped; empty if it is not. */
    default Optional<StopCause> stopCause() {
        return switch (this) {
            case Stopping(_, StopCause cause, _) -> Optional.of(cause);
            case Stuck(_, StopCause cause, _) -> Optional.of(cause);
            case Handed _, Starting _, Running _, Lost _, Ended _ -> Optional.empty();
        };
    }

    /** The name in the API. */
    default String apiName() {
        return switch (this) {
            case Handed _ -> "handed";
            case Starting _ -> "starting";
            case Running _ -> "running";
            case Stopping _ -> "stopping";
            case Lost _ -> "lost";
            case Stuck _ -> "stuck";
            case Ended _ -> "ended";
        };
    }

    /** The only transition function of phases. */
    default Phase after(PhaseTransition move) {
        return switch (move) {
            case PhaseTransition.SeenAlive(ShimProcess run) -> alive(run, move);
            case PhaseTransition.Stop(StopCause cause, Instant at) -> stopping(cause, at, move);
            case PhaseTransition.LoseContact(String why) -> lost(why, move);
            case PhaseTransition.GetStuck(String what) -> stuck(what, move);
            case PhaseTransition.End(Ending ending, Instant at) -> ended(ending, at, move);
        };
    }

    private Phase alive(ShimProcess run, PhaseTransition move) {
        return switch (this) {
            case Handed _, Starting _, Running _, Lost _ -> new Running(run);
            case Stopping(_, StopCause cause, Instant since) ->
                    new Stopping(Optional.of(run), cause, since);
            case Stuck(_, StopCause cause, String what) -> new Stuck(Optional.of(run), cause, what);
            case Ended _ -> throw new IllegalTransition(this, move);
        };
    }

    private Phase stopping(StopCause cause, Instant at, PhaseTransition move) {
        return switch (this) {
            case Handed _, Starting _, Running _, Lost _, Stuck _ ->
                    new Stopping(shimProcess(), cause, at);
            // A person's request takes precedence over Berth's own reason.
            case Stopping(Optional<ShimProcess> process, _, Instant since) ->
                    cause == StopCause.CANCELLED ? new Stopping(process, cause, since) : this;
            case Ended _ -> throw new IllegalTransition(this, move);
        };
    }

    private Phase lost(String why, PhaseTransition move) {
        return switch (this) {
            case Handed _, Starting _, Running _, Lost _ -> new Lost(shimProcess(), why);
            // The intent to stop it stays valid, but it cannot be carried out.
            case Stopping(Optional<ShimProcess> process, StopCause cause, _) ->
                    new Stuck(process, cause, why);
            case Stuck _ -> this;
            case Ended _ -> throw new IllegalTransition(this, move);
        };
    }

    private Phase stuck(String what, PhaseTransition move) {
        return switch (this) {
            case Stopping(Optional<ShimProcess> process, StopCause cause, _) ->
                    new Stuck(process, cause, what);
            case Handed _, Starting _, Running _, Lost _ ->
                    new Stuck(shimProcess(), StopCause.LEFTOVERS, what);
            case Stuck(Optional<ShimProcess> process, StopCause cause, _) ->
                    new Stuck(process, cause, what);
            case Ended _ -> throw new IllegalTransition(this, move);
        };
    }

    private Phase ended(Ending ending, Instant at, PhaseTransition move) {
        return switch (this) {
            case Handed _, Starting _, Running _, Stopping _, Lost _, Stuck _ ->
                    new Ended(shimProcess(), ending, at);
            case Ended _ -> throw new IllegalTransition(this, move);
        };
    }
}
