package dev.berth.core.plan;

import dev.berth.core.task.Task;

/** Who may start although somebody before them in their line waits. */
public interface Passing {

    boolean lets(Task behind, Task head);

    /** The word in the configuration. */
    String word();

    /** Nobody: a head that waits keeps its turn. */
    record Off() implements Passing {
        @Override
        public boolean lets(Task behind, Task head) {
            return false;
        }

        @Override
        public String word() {
            return "off";
        }
    }

    /** Anybody who fits. */
    record Greedy() implements Passing {
        @Override
        public boolean lets(Task behind, Task head) {
            return true;
        }

        @Override
        public String word() {
            return "greedy";
        }
    }
}
