package dev.berth.core.task;

import java.time.Instant;
import java.util.Optional;

/** Where an attempt's processes stand. */
public sealed interface Phase {

    /** The run it came to, if its shim was ever seen alive. */
    Optional<Run> begun();

    /** Claimed and committed; whether its shim has run is not known yet. */
    record Starting() implements Phase {
        @Override
        public Optional<Run> begun() {
            return Optional.empty();
        }
    }

    record Running(Run run) implements Phase {
        @Override
        public Optional<Run> begun() {
            return Optional.of(run);
        }
    }

    /**
     * Its end is decided and committed, so a restart resumes it; done when its process set is
     * empty.
     */
    record Stopping(Optional<Run> begun, StopCause cause, Instant since) implements Phase {}

    /** Berth cannot look: the claims stay until a fact or a person decides. */
    record Lost(Optional<Run> begun, String why) implements Phase {}

    /** It outlived KILL: the claims stay. */
    record Stuck(Optional<Run> begun, StopCause cause, String what) implements Phase {}

    record Ended(Optional<Run> begun, Ending ending, Instant at) implements Phase {}

    default boolean isLive() {
        return !(this instanceof Ended);
    }

    /** Why it is being ended, if it is. */
    default Optional<StopCause> stopCause() {
        return switch (this) {
            case Stopping(_, StopCause cause, _) -> Optional.of(cause);
            case Stuck(_, StopCause cause, _) -> Optional.of(cause);
            case Starting _, Running _, Lost _, Ended _ -> Optional.empty();
        };
    }

    /** The word on the wire. */
    default String word() {
        return switch (this) {
            case Starting _ -> "starting";
            case Running _ -> "running";
            case Stopping _ -> "stopping";
            case Lost _ -> "lost";
            case Stuck _ -> "stuck";
            case Ended _ -> "ended";
        };
    }

    /** The only way a phase becomes another. */
    default Phase after(PhaseMove move) {
        return switch (move) {
            case PhaseMove.Come(Run run) -> alive(run, move);
            case PhaseMove.Stop(StopCause cause, Instant at) -> stopping(cause, at, move);
            case PhaseMove.Lose(String why) -> lost(why, move);
            case PhaseMove.Stick(String what) -> stuck(what, move);
            case PhaseMove.End(Ending ending, Instant at) -> ended(ending, at, move);
        };
    }

    private Phase alive(Run run, PhaseMove move) {
        return switch (this) {
            case Starting _, Running _, Lost _ -> new Running(run);
            case Stopping(_, StopCause cause, Instant since) ->
                    new Stopping(Optional.of(run), cause, since);
            case Stuck(_, StopCause cause, String what) -> new Stuck(Optional.of(run), cause, what);
            case Ended _ -> throw new IllegalMove(this, move);
        };
    }

    private Phase stopping(StopCause cause, Instant at, PhaseMove move) {
        return switch (this) {
            case Starting _, Running _, Lost _, Stuck _ -> new Stopping(begun(), cause, at);
            // A person's word outranks Berth's own reason.
            case Stopping(Optional<Run> begun, _, Instant since) ->
                    cause == StopCause.CANCELLED ? new Stopping(begun, cause, since) : this;
            case Ended _ -> throw new IllegalMove(this, move);
        };
    }

    private Phase lost(String why, PhaseMove move) {
        return switch (this) {
            case Starting _, Running _, Lost _ -> new Lost(begun(), why);
            // The intent to end it outlives our sight of it.
            case Stopping _, Stuck _ -> this;
            case Ended _ -> throw new IllegalMove(this, move);
        };
    }

    private Phase stuck(String what, PhaseMove move) {
        return switch (this) {
            case Stopping(Optional<Run> begun, StopCause cause, _) -> new Stuck(begun, cause, what);
            case Starting _, Running _, Lost _ -> new Stuck(begun(), StopCause.LEFTOVERS, what);
            case Stuck(Optional<Run> begun, StopCause cause, _) -> new Stuck(begun, cause, what);
            case Ended _ -> throw new IllegalMove(this, move);
        };
    }

    private Phase ended(Ending ending, Instant at, PhaseMove move) {
        return switch (this) {
            case Starting _, Running _, Stopping _, Lost _, Stuck _ ->
                    new Ended(begun(), ending, at);
            case Ended _ -> throw new IllegalMove(this, move);
        };
    }
}
