package dev.berth.engine.port;

/** Counts what the engine does and how long it takes; the engine itself reads no clock. */
public interface Meter {

    /** Where nobody counts. */
    Meter NONE =
            new Meter() {
                @Override
                public Watch start(Step step) {
                    return () -> {};
                }

                @Override
                public void happened(Event event) {}
            };

    enum Step {
        /** One pass of the planner. */
        PASS,
        /** One durable commit. */
        COMMIT
    }

    /** Stop it when the step is over. */
    Watch start(Step step);

    /** It is committed. */
    void happened(Event event);

    /** A step that is being timed. */
    interface Watch {
        void stop();
    }
}
