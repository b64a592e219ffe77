package dev.berth.server.alert;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

class LanguageTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0 s, 0 秒",
        "59, 59 s, 59 秒",
        "120, 2 min, 2 分",
        "90, 1 min 30 s, 1 分 30 秒",
        "7200, 2 h, 2 小时",
        "7259, 2 h, 2 小时",
        "5400, 1 h 30 min, 1 小时 30 分",
        "86399, 23 h 59 min, 23 小时 59 分",
        "90000, 1 d 1 h, 1 天 1 小时"
    })
    void aTimeIsSaidInItsTwoLargestUnits(int seconds, String english, String chinese) {
        assertThat(Language.ENGLISH.time(Duration.ofSeconds(seconds))).isEqualTo(english);
        assertThat(Language.CHINESE.time(Duration.ofSeconds(seconds))).isEqualTo(chinese);
    }
}
