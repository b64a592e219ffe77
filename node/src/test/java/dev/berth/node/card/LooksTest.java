package dev.berth.node.card;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

class LooksTest {

    private final Looks<String> looks = new Looks<>();

    @Test
    void aLookThatHangsHoldsUpNobodyAndIsNotRepeatedUntilItReturns() throws Exception {
        var gate = new CountDownLatch(1);
        var tries = new AtomicInteger();
        Looks.Look<String> hanging =
                () -> {
                    tries.incrementAndGet();
                    awaitQuietly(gate);
                    return "late";
                };

        assertThat(looks.look(7, hanging)).isEmpty();
        assertThat(looks.look(7, hanging)).isEmpty();
        eventually(
                "another is looked at",
                () -> looks.look(8, () -> "quick").equals(Optional.of("quick")));

        gate.countDown();
        // What it returns is taken a moment later.
        eventually("it is looked at again", () -> looks.look(7, () -> "again").isPresent());
        assertThat(tries).hasValue(1);
    }

    @Test
    void whoeverHangsBeyondABoundIsNotKnown() throws Exception {
        var gate = new CountDownLatch(1);
        try {
            for (long pid = 1; pid <= 16; pid++) {
                assertThat(looks.look(pid, () -> hang(gate))).isEmpty();
            }
            assertThat(looks.look(99, () -> "quick")).isEmpty();
        } finally {
            gate.countDown();
        }
    }

    private static String hang(CountDownLatch gate) {
        awaitQuietly(gate);
        return "late";
    }

    private static void awaitQuietly(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
