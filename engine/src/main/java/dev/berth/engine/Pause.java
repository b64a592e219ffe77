package dev.berth.engine;

import dev.berth.core.plan.WaitReason.Paused;

import java.util.Optional;

/** Why no task may start at the moment, whatever GPUs are free. */
final class Pause {

    private Pause() {}

    static Optional<Paused> of(EngineState state, Optional<String> halted) {
        if (halted.isPresent()) {
            return Optional.of(new Paused(Paused.PauseCause.INVARIANT_BROKEN, halted.get()));
        }
        var watch = state.sinceStart();
        if (watch.isDiskLow()) {
            return Optional.of(new Paused(Paused.PauseCause.DISK_LOW, watch.disk().describe()));
        }
        var episode = watch.launchFaults().episode();
        if (episode.isPresent()) {
            var detail = episode.get().fault().detail();
            return Optional.of(new Paused(Paused.PauseCause.MACHINE_FAULT, detail));
        }
        // Last, because this is the only cause that does not prevent a manual start.
        var scheduler = state.durable().scheduler();
        if (!scheduler.isRunning()) {
            var who = scheduler.lastSwitch().map(turn -> "by " + turn.by().name());
            return Optional.of(
                    new Paused(Paused.PauseCause.STOPPED, who.orElse("by an unknown user")));
        }
        return Optional.empty();
    }
}
