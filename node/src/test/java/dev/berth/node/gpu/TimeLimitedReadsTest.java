package dev.berth.node.gpu;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

class TimeLimitedReadsTest {

    private final TimeLimitedReads<String> looks = new TimeLimitedReads<>();

    @Test
    void aHangingReadDoesNotBlockAndIsNotRepeated() throws Exception {
        var gate = new CountDownLatch(1);
        var tries = new AtomicInteger();
        TimeLimitedReads.Read<String> hanging =
                () -> {
                    tries.incrementAndGet();
                    awaitQuietly(gate);
                    return "late";
                };

        assertThat(looks.read(7, hanging)).isEmpty();
        assertThat(looks.read(7, hanging)).isEmpty();
        eventually(
                "another is looked at",
                () -> looks.read(8, () -> "quick").equals(Optional.of("quick")));

        gate.countDown();
        // Its result is used a moment later.
        eventually("it is looked at again", () -> looks.read(7, () -> "again").isPresent());
        assertThat(tries).hasValue(1);
    }

    @Test
    void tooManyHangingReadsLeaveFurtherProcessesUnknown() throws Exception {
        var gate = new CountDownLatch(1);
        try {
            for (long pid = 1; pid <= 16; pid++) {
                assertThat(looks.read(pid, () -> hang(gate))).isEmpty();
            }
            assertThat(looks.read(99, () -> "quick")).isEmpty();
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
