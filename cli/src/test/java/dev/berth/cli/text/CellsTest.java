package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CellsTest {

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
        assertThat(Cells.width(text)).isEqualTo(cells);
    }

    @Test
    void clippedTextNeverExceedsItsRoom() {
        assertThat(Cells.clip("abcdef", 6)).isEqualTo("abcdef");
        assertThat(Cells.clip("abcdef", 5)).isEqualTo("abcd…");
        assertThat(Cells.clip("训练模型", 8)).isEqualTo("训练模型");
        assertThat(Cells.clip("训练模型", 7)).isEqualTo("训练模…");
        assertThat(Cells.clip("训练模型", 6)).as("half a character cannot be shown").isEqualTo("训练…");
        assertThat(Cells.clip("训练", 1)).isEqualTo("…");
        assertThat(Cells.clip("a😀😀", 4)).isEqualTo("a😀…");
    }
}
