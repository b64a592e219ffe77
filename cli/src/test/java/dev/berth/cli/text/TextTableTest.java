package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

class TextTableTest {

    private static List<Cell> cells(String... texts) {
        return Arrays.stream(texts).map(Cell::of).toList();
    }

    @Test
    void columnsAreAlignedAndLinesHaveNoTail() {
        TextTable table = new TextTable();
        table.add("ID", ColumnKind.RIGHT, cells("1", "100"));
        table.add("NAME", ColumnKind.LEFT, cells("训练", "b"));
        table.add("X", ColumnKind.LEFT, cells("x", ""));
        assertThat(table.render(0, false))
                .isEqualTo(
                        """
                         ID  NAME  X
                          1  训练  x
                        100  b
                        """);
    }

    @Test
    void aColumnThatSaysNothingIsNotThere() {
        TextTable table = new TextTable();
        table.add("A", ColumnKind.LEFT, cells("1", "2"));
        table.add("B", ColumnKind.LEFT, cells("", ""));
        table.add("C", ColumnKind.RIGHT, cells("", "x"));
        assertThat(table.render(0, false)).isEqualTo("A  C\n1\n2  x\n");
    }

    @Test
    void theWidestColumnThatMayShrinksFirst() {
        TextTable table = new TextTable();
        table.add("ID", ColumnKind.RIGHT, cells("7"));
        table.add("NAME", ColumnKind.SHRINKABLE, cells("a-name-of-twenty-four-ce"));
        table.add("ERROR", ColumnKind.SHRINKABLE, cells("an error of 20 cells"));
        assertThat(table.render(40, false))
                .isEqualTo(
                        """
                        ID  NAME               ERROR
                         7  a-name-of-twenty…  an error of 20 c…
                        """);
    }

    @Test
    void thereIsALeastWidthEvenOnTheNarrowestTerminal() {
        TextTable table = new TextTable();
        table.add("NAME", ColumnKind.SHRINKABLE, cells("abcdefghijkl"));
        table.add("STATUS", ColumnKind.LEFT, cells("completed"));
        assertThat(table.render(5, false)).isEqualTo("NAME      STATUS\nabcdefg…  completed\n");
    }

    @Test
    void coloursHaveNoWidth() {
        TextTable table = new TextTable();
        table.add("S", ColumnKind.LEFT, List.of(new Cell("failed", TextStyle.RED), Cell.of("ok")));
        table.add("N", ColumnKind.LEFT, cells("1", "2"));
        assertThat(table.render(0, true))
                .isEqualTo(
                        "\u001b[1mS\u001b[0m       \u001b[1mN\u001b[0m\n"
                                + "\u001b[31mfailed\u001b[0m  1\nok      2\n");
    }

    @Test
    void whatStandsInACellIsCleaned() {
        TextTable table = new TextTable();
        table.add("N", ColumnKind.LEFT, cells("\u001b[2J\nx"));
        assertThat(table.render(0, false)).isEqualTo("N\n\\e[2J\\nx\n");
    }
}
