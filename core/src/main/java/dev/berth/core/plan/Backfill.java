package dev.berth.core.plan;

/** Which tasks may start although a task before them still waits. */
public sealed interface Backfill {

    /** The name in the configuration. */
    String configName();

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
    }

    /** Any task that fits, also before a head of another queue. */
    record Greedy() implements Backfill {
        @Override
        public String configName() {
            return "greedy";
        }
    }
}
