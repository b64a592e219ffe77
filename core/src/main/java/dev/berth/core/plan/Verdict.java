package dev.berth.core.plan;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Claim;

import java.util.List;

/** The decision on one task, with its reasons. */
public sealed interface Verdict {

    TaskId task();

    /**
     * @param leavesTooFewIdle the minimum number of GPUs of a lane task leaves fewer idle GPUs for
     *     other users than the lane rules demand
     */
    record Start(AttemptId attempt, List<Claim> claims, boolean leavesTooFewIdle)
            implements Verdict {

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
