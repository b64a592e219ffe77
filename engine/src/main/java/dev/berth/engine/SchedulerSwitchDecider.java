package dev.berth.engine;

import dev.berth.port.Change;
import dev.berth.port.SchedulerState;
import dev.berth.port.event.ServerPayload;

import java.util.Optional;

/** Stops and resumes the starting of tasks; running tasks go on. */
final class SchedulerSwitchDecider {

    private SchedulerSwitchDecider() {}

    static EngineReply decide(Decision decision, EngineCommand.SwitchScheduler schedule) {
        var now = decision.state().durable().scheduler();
        if (now.isRunning() == schedule.isRunning()) {
            return new EngineReply.SchedulerSwitched(now, false);
        }
        var turn = new SchedulerState.LastSwitch(schedule.actor(), schedule.at());
        var next = new SchedulerState(schedule.isRunning(), Optional.of(turn));
        decision.save(new Change.SchedulerSaved(next));
        decision.addEvent(
                schedule.actor(),
                schedule.isRunning()
                        ? new ServerPayload.SchedulerStarted()
                        : new ServerPayload.SchedulerStopped());
        return new EngineReply.SchedulerSwitched(next, true);
    }
}
