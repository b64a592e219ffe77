package dev.berth.http.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.http.RejectedException;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class MemoryBudgetTest {

    private static final long TOTAL = 1 << 20;

    @Test
    void largeRequestsTogetherStayBelowTheBudget() throws Exception {
        var budget = new MemoryBudget(TOTAL, Duration.ofMillis(1));
        var first = budget.reserve(TOTAL / 2);
        var second = budget.reserve(TOTAL / 2);

        assertThatExceptionOfType(RejectedException.class)
                .isThrownBy(() -> budget.reserve(TOTAL / 4));

        first.close();
        try (var third = budget.reserve(TOTAL / 4)) {
            assertThat(third).isNotNull();
        }
        second.close();
    }

    @Test
    void aSmallRequestNeverWaits() throws Exception {
        var budget = new MemoryBudget(TOTAL, Duration.ofMillis(1));
        try (var all = budget.reserve(TOTAL);
                var small = budget.reserve(MemoryBudget.FREE_BYTES)) {
            assertThat(all).isNotNull();
            assertThat(small).isNotNull();
        }
    }

    @Test
    void aRequestLargerThanTheBudgetGetsAllOfIt() throws Exception {
        var budget = new MemoryBudget(TOTAL, Duration.ofMillis(1));
        try (var all = budget.reserve(10 * TOTAL)) {
            assertThat(all).isNotNull();
            assertThatExceptionOfType(RejectedException.class)
                    .isThrownBy(() -> budget.reserve(TOTAL));
        }
    }

    @Test
    void aWaitingRequestProceedsWhenAnotherOneEnds() throws Exception {
        var budget = new MemoryBudget(TOTAL, Duration.ofMinutes(1));
        var all = budget.reserve(TOTAL);
        var ender = Thread.ofVirtual().start(all::close);
        try (var next = budget.reserve(TOTAL)) {
            assertThat(next).isNotNull();
        }
        ender.join();
    }
}
