package dev.berth.notify;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.stream.IntStream;

class DeliveryTimingTest {

    @Test
    void theRetryDelayDoublesUpToFiveMinutes() {
        for (int failures = 1; failures < 100; failures++) {
            long whole = Math.min(300, 1L << Math.min(failures - 1, 20)) * 1000;
            assertThat(DeliveryTiming.DEFAULT.retryDelay("lab", failures).toMillis())
                    .isBetween(whole * 3 / 4, whole);
        }
    }

    @Test
    void receiversThatFailTogetherRetryAtDifferentTimes() {
        var pauses =
                IntStream.range(0, 20)
                        .mapToObj(i -> DeliveryTiming.DEFAULT.retryDelay("receiver-" + i, 9))
                        .distinct();
        assertThat(pauses.count()).isGreaterThan(15);
        assertThat(DeliveryTiming.DEFAULT.retryDelay("a", 3))
                .isEqualTo(DeliveryTiming.DEFAULT.retryDelay("a", 3));
        assertThat(DeliveryTiming.DEFAULT.maxEventAge()).isEqualTo(Duration.ofHours(24));
    }
}
