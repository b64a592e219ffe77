package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalWidthTest {

    @ParameterizedTest
    @CsvSource({
        "'', 0",
        "abc, 3",
        "é, 1",
        "e\u0301, 1",
        "训练, 4",
        "ﾊﾝ, 2",
        "한글, 4",
        "ＡＢ, 4",
        "😀, 2",
        "a…b, 3",
        "–, 1",
        "日本語 ok, 9",
        "☃️, 1",
        "𠀀, 2",
    })
    void wideCharactersTakeTwoCells(String text, int cells) {
        assertThat(TerminalWidth.width(text)).isEqualTo(cells);
    }

    @Test
    void clippedTextNeverExceedsItsWidth() {
        assertThat(TerminalWidth.clip("abcdef", 6)).isEqualTo("abcdef");
        assertThat(TerminalWidth.clip("abcdef", 5)).isEqualTo("abcd…");
        assertThat(TerminalWidth.clip("训练模型", 8)).isEqualTo("训练模型");
        assertThat(TerminalWidth.clip("训练模型", 7)).isEqualTo("训练模…");
        assertThat(TerminalWidth.clip("训练模型", 6))
                .as("half a character cannot be shown")
                .isEqualTo("训练…");
        assertThat(TerminalWidth.clip("训练", 1)).isEqualTo("…");
        assertThat(TerminalWidth.clip("a😀😀", 4)).isEqualTo("a😀…");
    }

    @Test
    void theMiddleIsCutAndTheEndStays() {
        assertThat(TerminalWidth.clipMiddle("abcdef", 6)).isEqualTo("abcdef");
        assertThat(TerminalWidth.clipMiddle("abcdef", 5)).isEqualTo("ab…ef");
        assertThat(TerminalWidth.clipMiddle("abcdef", 4)).isEqualTo("a…ef");
        assertThat(TerminalWidth.clipMiddle("abcdef", 1)).isEqualTo("…");
        assertThat(TerminalWidth.clipMiddle("训练模型一二", 8)).isEqualTo("训…一二");
    }
}
