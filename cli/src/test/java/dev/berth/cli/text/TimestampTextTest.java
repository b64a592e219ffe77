package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Random;
import java.util.TimeZone;

class TimestampTextTest {

    @Test
    void readsWhatTheJdkWrites() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 5_000; round++) {
            // The JDK omits seconds that are 0; the server always writes them.
            Instant instant =
                    Instant.ofEpochSecond(
                            random.nextLong(0, 4_000_000_000L) / 60 * 60 + 1 + random.nextInt(59),
                            random.nextInt(1_000_000_000));
            int minutes = random.nextInt(-12 * 4, 14 * 4) * 15;
            OffsetDateTime there = instant.atOffset(ZoneOffset.ofTotalSeconds(minutes * 60));
            assertThat(TimestampText.parseEpochSecond(there.toString()))
                    .as("seed %d: %s", seed, there)
                    .hasValue(instant.getEpochSecond());
        }
        assertThat(TimestampText.parseEpochSecond("1970-01-01T00:00:00Z")).hasValue(0);
        assertThat(TimestampText.parseEpochSecond("1970-01-01T01:00:00+0100")).hasValue(0);
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {
                "soon",
                "2025-11-15T05:00:00",
                "2025-13-45T05:00:00Z",
                "2025-11-15T05:00:00*01:00",
                "2025-11-15Txx:00:00Z",
                "\u001b[31m2025-11-15T05:00:00Z"
            })
    void whatIsNoTimeIsNone(String text) {
        assertThat(TimestampText.parseEpochSecond(text)).isEmpty();
    }

    @Test
    void showsATimeWhereTheUserIs() {
        assertThat(TimestampText.format(1_763_182_805, ZoneOffset.ofHours(8)))
                .isEqualTo("2025-11-15 13:00:05");
    }

    @Test
    void theOffsetFollowsTheRulesOfTheZone() {
        var newYork = TimeZone.getTimeZone("America/New_York");
        var rules = newYork.toZoneId().getRules();
        for (long day = 0; day < 2 * 366; day++) {
            long second = 1_735_689_600 + day * 86_400;
            assertThat(TimestampText.offset(newYork, second))
                    .isEqualTo(rules.getOffset(Instant.ofEpochSecond(second)));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "-5, 0s, 0s",
        "0, 0s, 0s",
        "59, 59s, 59s",
        "60, 1m, 1m 0s",
        "3599, 59m, 59m 59s",
        "3600, 1h, 1h 0m",
        "172799, 47h, 1d 23h",
        "172800, 2d, 2d 0h",
        "40000000, 462d, 462d 23h",
    })
    void agesAreShort(long seconds, String brief, String full) {
        assertThat(DurationText.brief(seconds)).isEqualTo(brief);
        assertThat(DurationText.full(seconds)).isEqualTo(full);
    }

    @ParameterizedTest
    @CsvSource({"0, 0s", "30, 30s", "5400, 1h30m", "86400, 1d", "90061, 1d1h1m1s", "7200, 2h"})
    void aLimitIsShownAsItIsTyped(int seconds, String typed) {
        assertThat(DurationText.exact(seconds)).isEqualTo(typed);
        if (seconds > 0) {
            assertThat(AmountParser.seconds(typed)).hasValue(seconds);
        }
    }

    @ParameterizedTest
    @CsvSource({"25, 25.0", "20.04, 20.0", "20.05, 20.1", "0, 0.0", "-0.5, -0.5", "-0.01, 0.0"})
    void tenthsAreRounded(double number, String shown) {
        assertThat(DecimalText.oneDecimal(number)).isEqualTo(shown);
    }
}
