package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.access.Token;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.Problem;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Scheduler;
import dev.berth.engine.port.StoreFailure;

import java.util.List;

/** What a caller gets, after the commit. */
public sealed interface Reply {

    /**
     * @param task the first, where several were taken in: they have consecutive ids
     * @param repeated the same request had been granted before; nothing was done again
     */
    record Granted(TaskId task, boolean repeated) implements Reply {}

    /** A token as it is from now on. */
    record Kept(Token token) implements Reply {}

    /** What a draft needs is not to be had now; it stays a draft. */
    record Busy(List<WaitReason> reasons) implements Reply {
        public Busy {
            reasons = List.copyOf(reasons);
        }
    }

    /**
     * @param changed whether it was the other way before
     */
    record Scheduled(Scheduler scheduler, boolean changed) implements Reply {}

    /**
     * A command file is run, or no longer.
     *
     * @param left blocks that could never start, and so are left out
     */
    record Ran(LaneRun run, List<Problem> left) implements Reply {
        public Ran {
            left = List.copyOf(left);
        }
    }

    record Refused(Rejected why) implements Reply {}

    /** Not granted and not kept: try again later. */
    record Unavailable(StoreFailure.Kind kind, String detail) implements Reply {}

    /** For commands that nobody waits for. */
    record Noted() implements Reply {}
}
