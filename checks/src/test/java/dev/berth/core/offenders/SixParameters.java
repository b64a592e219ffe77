package dev.berth.core.offenders;

/** Each has six parameters. */
public final class SixParameters {
    private SixParameters() {}

    record InAMethod() {
        int sum(int a, int b, int c, int d, int e, int f) {
            return a + b + c + d + e + f;
        }
    }

    static class InAConstructor {
        final int sum;

        InAConstructor(int a, int b, int c, int d, int e, int f) {
            sum = a + b + c + d + e + f;
        }
    }
}
