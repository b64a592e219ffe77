package dev.berth.core.plan;

import dev.berth.core.task.Task;

/** Whether a task may start although the head of its queue still waits. */
public interface Backfill {

    boolean allows(Task behind, Task head);

    /** False if any task that fits may start first, also one of another queue. */
    boolean keepsTurns();

    /** The name in the configuration. */
    String configName();

    /** No backfill: a waiting head blocks its queue. */
    record Off() implements Backfill {
        @Override
        public boolean allows(Task behind, Task head) {
            return false;
        }

        @Override
        public boolean keepsTurns() {
            return true;
        }

        @Override
        public String configName() {
            return "off";
        }
    }

    /** Any task that fits. */
    record Greedy() implements Backfill {
        @Override
        public boolean allows(Task behind, Task head) {
            return true;
        }

        @Override
        public boolean keepsTurns() {
            return false;
        }

        @Override
        public String configName() {
            return "greedy";
        }
    }
}
