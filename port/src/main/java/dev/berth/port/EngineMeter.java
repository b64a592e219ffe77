package dev.berth.port;

/** Metrics of the engine. It times steps itself, because the engine reads no clock. */
public interface EngineMeter {

    /** Counts nothing. */
    EngineMeter NONE =
            new EngineMeter() {
                @Override
                public Stopwatch startTiming(TimedStep step) {
                    return () -> {};
                }

                @Override
                public void eventCommitted(Event event) {}
            };

    enum TimedStep {
        /** One scheduling pass. */
        PASS,
        /** One durable commit. */
        COMMIT
    }

    /** The caller stops the returned stopwatch when the step is over. */
    Stopwatch startTiming(TimedStep step);

    /** The event was committed. */
    void eventCommitted(Event event);

    /** A running time measurement. */
    interface Stopwatch {
        void stop();
    }
}
