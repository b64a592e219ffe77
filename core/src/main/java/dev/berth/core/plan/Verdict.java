package dev.berth.core.plan;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.TaskId;

import java.util.List;

/** What the planner says about one task, and why. */
public sealed interface Verdict {

    TaskId task();

    /**
     * @param leavesTooFew it cannot do with fewer cards, and so others are left fewer than lanes
     *     leave them
     */
    record Start(AttemptId attempt, List<Claim> claims, boolean leavesTooFew) implements Verdict {

        public Start(AttemptId attempt, List<Claim> claims) {
            this(attempt, claims, false);
        }

        @Override
        public TaskId task() {
            return attempt.task();
        }
    }

    record Wait(TaskId task, List<WaitReason> reasons) implements Verdict {
        public Wait {
            reasons = List.copyOf(reasons);
        }
    }
}
