package dev.berth.server.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.stream.IntStream;

class PatienceTest {

    @Test
    void thePauseDoublesUpToFiveMinutesAndNeverGrowsBeyond() {
        for (int failures = 1; failures < 100; failures++) {
            long whole = Math.min(300, 1L << Math.min(failures - 1, 20)) * 1000;
            assertThat(Patience.USUAL.pause("lab", failures).toMillis())
                    .isBetween(whole * 3 / 4, whole);
        }
    }

    @Test
    void receiversThatFailTogetherDoNotComeBackTogether() {
        var pauses =
                IntStream.range(0, 20)
                        .mapToObj(i -> Patience.USUAL.pause("receiver-" + i, 9))
                        .distinct();
        assertThat(pauses.count()).isGreaterThan(15);
        assertThat(Patience.USUAL.pause("a", 3)).isEqualTo(Patience.USUAL.pause("a", 3));
        assertThat(Patience.USUAL.backlog()).isEqualTo(Duration.ofHours(24));
    }
}
