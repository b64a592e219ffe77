package dev.berth.server.offenders;

/** Each prints to stdout or stderr. */
public final class PrintsToStdout {
    private PrintsToStdout() {}

    record Prints() {
        void print() {
            System.out.println("here");
        }
    }

    record PrintsErrors() {
        void print() {
            System.err.println("here");
        }
    }

    record PrintsTraces(IllegalStateException failure) {
        void print() {
            failure.printStackTrace();
        }
    }
}
