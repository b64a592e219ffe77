package dev.berth.texts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

final class LanguageTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | ENGLISH",
                "zh-CN,zh;q=0.9,en;q=0.8 | CHINESE",
                "zh-TW | CHINESE",
                "en-US,en;q=0.9,zh;q=0.8 | ENGLISH",
                "de, zh;q=0.5 | CHINESE",
                "en;q=0.2, zh;q=0.5 | CHINESE",
                "zh;q=0, en | ENGLISH",
                "* | ENGLISH",
                "zh;q=nonsense | ENGLISH",
                "z | ENGLISH"
            })
    void isTheBestMatchOfTheHeader(String header, Language expected) {
        assertThat(Language.accepted(header, Language.ENGLISH)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"0,0 s", "59,59 s", "60,1 min", "3661,1 h 1 min", "86400,1 d", "90061,1 d 1 h"})
    void writesDurationsInTwoUnits(long seconds, String expected) {
        assertThat(Language.ENGLISH.duration(Duration.ofSeconds(seconds))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 s, 0 秒",
        "120, 2 min, 2 分",
        "90, 1 min 30 s, 1 分 30 秒",
        "7200, 2 h, 2 小时",
        "7259, 2 h, 2 小时",
        "5400, 1 h 30 min, 1 小时 30 分",
        "86399, 23 h 59 min, 23 小时 59 分",
        "90000, 1 d 1 h, 1 天 1 小时"
    })
    void leavesOutUnitsThatAreZero(int seconds, String english, String chinese) {
        assertThat(Language.ENGLISH.duration(Duration.ofSeconds(seconds))).isEqualTo(english);
        assertThat(Language.CHINESE.duration(Duration.ofSeconds(seconds))).isEqualTo(chinese);
    }
}
