package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

class LooksTest {

    private final Looks<String> looks = new Looks<>();

    @Test
    void aLookThatHangsHoldsUpNobodyAndIsNotRepeatedUntilItReturns() throws Exception {
        var gate = new CountDownLatch(1);
        var returned = new CountDownLatch(1);
        var tries = new AtomicInteger();
        Looks.Look<String> hanging =
                () -> {
                    tries.incrementAndGet();
                    awaitQuietly(gate);
                    returned.countDown();
                    return "late";
                };

        assertThat(looks.look(7, hanging)).isEmpty();
        assertThat(looks.look(7, hanging)).isEmpty();
        assertThat(looks.look(8, () -> "quick")).contains("quick");
        assertThat(tries).hasValue(1);

        gate.countDown();
        returned.await();
        assertThat(looks.look(7, () -> "again")).isPresent();
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
