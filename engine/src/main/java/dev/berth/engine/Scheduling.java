package dev.berth.engine;

import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Scheduler;

import java.util.Map;
import java.util.Optional;

/** Stops and resumes the starting of tasks; what runs goes on. */
final class Scheduling {

    private Scheduling() {}

    static Reply decide(Draft draft, Command.Schedule schedule) {
        var now = draft.state().books().scheduler();
        if (now.isRunning() == schedule.isRunning()) {
            return new Reply.Scheduled(now, false);
        }
        var turn = new Scheduler.Turn(schedule.actor(), schedule.at());
        var next = new Scheduler(schedule.isRunning(), Optional.of(turn));
        draft.save(new Change.SchedulerSet(next));
        draft.happened(
                schedule.isRunning() ? Event.Kind.SCHEDULER_STARTED : Event.Kind.SCHEDULER_STOPPED,
                schedule.actor(),
                Map.of());
        return new Reply.Scheduled(next, true);
    }
}
