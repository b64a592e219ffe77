package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

class SteadyClockTest {

    private final Instant begin = Instant.parse("2026-01-01T00:00:00Z");
    private Duration monotonic = Duration.ZERO;
    private Duration offset = Duration.ZERO;
    private final SteadyClock clock =
            new SteadyClock(
                    () -> begin.plus(monotonic).plus(offset), () -> monotonic.toNanos() + 17);

    @Test
    void advancesWithTheSystemTime() {
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofMillis(333));
            assertThat(clock.instant()).isEqualTo(begin.plus(monotonic));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"P3650D", "-P3650D", "PT1H", "-PT1H", "PT3S", "-PT3S"})
    void aShortJumpLeavesNoTrace(String jump) {
        offset = Duration.parse(jump);
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofSeconds(1));
            assertThat(clock.instant()).isEqualTo(begin.plus(monotonic));
        }
        offset = Duration.ZERO;
        pass(Duration.ofSeconds(1));
        assertThat(clock.instant()).isEqualTo(begin.plus(monotonic));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1H", "-PT1H", "P20000D"})
    void aNewSettingOfTheClockIsFollowedAfterAWhile(String jump) {
        offset = Duration.parse(jump);
        clock.instant();
        pass(SteadyClock.PATIENCE.minusSeconds(1));
        assertThat(clock.instant()).isEqualTo(begin.plus(monotonic));
        pass(Duration.ofSeconds(1));
        assertThat(clock.instant()).isEqualTo(begin.plus(monotonic).plus(offset));
    }

    @Test
    void aSmallCorrectionIsFollowedAndTimeNeverGoesBack() {
        var random = new Random(7);
        var last = clock.instant();
        for (int i = 0; i < 10_000; i++) {
            offset = Duration.ofMillis(random.nextInt(1500) - 750L);
            pass(Duration.ofMillis(random.nextInt(100)));
            assertThat(clock.instant()).isAfterOrEqualTo(last);
            last = clock.instant();
        }
        offset = Duration.ZERO;
        pass(Duration.ofMinutes(1));
        assertThat(Duration.between(begin.plus(monotonic), clock.instant()).abs())
                .isLessThan(Duration.ofSeconds(1));
    }

    private void pass(Duration time) {
        monotonic = monotonic.plus(time);
    }
}
