package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AmountParserTest {

    @ParameterizedTest
    @CsvSource({
        "20G, 20",
        "20480M, 20",
        "20, 20",
        "1.5g, 1.5",
        "512MiB, 0.5",
        "1T, 1024",
        "20gb, 20",
    })
    void memoryIsReadWithItsUnit(String text, double gigabytes) {
        assertThat(AmountParser.gigabytes(text)).hasValue(gigabytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "G",
                "-1G",
                "0",
                "20X",
                "20 G",
                "1.2.3",
                "NaN",
                "1e9",
                "1e999",
                "9999999999T"
            })
    void whatIsNoMemoryIsNone(String text) {
        assertThat(AmountParser.gigabytes(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "90s, 90",
        "30m, 1800",
        "2h, 7200",
        "1d, 86400",
        "1d12h, 129600",
        "1h30m15s, 5415",
        "1:30:00, 5400",
        "00:00:05, 5",
        "100:00:00, 360000",
    })
    void timeIsReadWithItsUnit(String text, int seconds) {
        assertThat(AmountParser.seconds(text)).hasValue(seconds);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "2", "h", "2x", "2h3", "1m2h", "1h1h", "-2h", "0s", "1:30", "1:60:00",
                "1:2:3:4", "99999d", "1.5h", "::"
            })
    void whatIsNoTimeIsNone(String text) {
        assertThat(AmountParser.seconds(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "007, 7", "1000000000, 1000000000"})
    void countsAreWhole(String text, int count) {
        assertThat(AmountParser.count(text)).hasValue(count);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "+1", "1.0", "two", "1000000001", "99999999999", "１"})
    void whatIsNoCountIsNone(String text) {
        assertThat(AmountParser.count(text)).isEmpty();
    }
}
