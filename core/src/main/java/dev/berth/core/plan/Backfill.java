package dev.berth.core.plan;

import dev.berth.core.queue.QueueOrder;
import dev.berth.core.task.Task;

import java.time.Instant;

/** Which tasks may start although a task before them still waits. */
public sealed interface Backfill {

    /** The name in the configuration. */
    String configName();

    /** Whether tasks behind this waiting head must not delay it. */
    default boolean protects(Task head, Instant now) {
        return false;
    }

    /** No backfill: a waiting head blocks its queue. */
    record Off() implements Backfill {
        @Override
        public String configName() {
            return "off";
        }
    }

    /**
     * Tasks that do not delay the first waiting head: see {@link HeadGuard}.
     *
     * @param maxExamined how many tasks of a group that run too long are skipped in search of a
     *     shorter one; it limits the cost of a pass over a long queue
     * @param maxExaminedInPass the same for all groups of a pass together
     */
    record Safe(int maxExamined, int maxExaminedInPass) implements Backfill {

        private static final int DEFAULT_MAX_EXAMINED = 200;
        private static final int DEFAULT_MAX_EXAMINED_IN_PASS = 2000;

        public Safe() {
            this(DEFAULT_MAX_EXAMINED, DEFAULT_MAX_EXAMINED_IN_PASS);
        }

        @Override
        public String configName() {
            return "safe";
        }

        @Override
        public boolean protects(Task head, Instant now) {
            return true;
        }
    }

    /**
     * Any task that fits, also before a head of another queue. A head that has waited for {@link
     * QueueOrder#MAX_PASSED} is protected as by {@link Safe}, so that none waits for ever.
     */
    record Greedy() implements Backfill {
        @Override
        public boolean protects(Task head, Instant now) {
            return !head.waitingSince().plus(QueueOrder.MAX_PASSED).isAfter(now);
        }

        @Override
        public String configName() {
            return "greedy";
        }
    }
}
