package dev.berth.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.text.Table.Cell;
import dev.berth.cli.text.Table.Kind;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

class TableTest {

    private static List<Cell> cells(String... texts) {
        return Arrays.stream(texts).map(Cell::of).toList();
    }

    @Test
    void columnsAreAlignedAndLinesHaveNoTail() {
        Table table = new Table();
        table.add("ID", Kind.RIGHT, cells("1", "100"));
        table.add("NAME", Kind.LEFT, cells("训练", "b"));
        table.add("X", Kind.LEFT, cells("x", ""));
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
        Table table = new Table();
        table.add("A", Kind.LEFT, cells("1", "2"));
        table.add("B", Kind.LEFT, cells("", ""));
        table.add("C", Kind.RIGHT, cells("", "x"));
        assertThat(table.render(0, false)).isEqualTo("A  C\n1\n2  x\n");
    }

    @Test
    void theWidestColumnThatMayShrinksFirst() {
        Table table = new Table();
        table.add("ID", Kind.RIGHT, cells("7"));
        table.add("NAME", Kind.SHRINKS, cells("a-name-of-twenty-four-ce"));
        table.add("ERROR", Kind.SHRINKS, cells("an error of 20 cells"));
        assertThat(table.render(40, false))
                .isEqualTo(
                        """
                        ID  NAME               ERROR
                         7  a-name-of-twenty…  an error of 20 c…
                        """);
    }

    @Test
    void thereIsALeastWidthEvenOnTheNarrowestTerminal() {
        Table table = new Table();
        table.add("NAME", Kind.SHRINKS, cells("abcdefghijkl"));
        table.add("STATUS", Kind.LEFT, cells("completed"));
        assertThat(table.render(5, false)).isEqualTo("NAME      STATUS\nabcdefg…  completed\n");
    }

    @Test
    void coloursTakeNoRoom() {
        Table table = new Table();
        table.add("S", Kind.LEFT, List.of(new Cell("failed", Paint.RED), Cell.of("ok")));
        table.add("N", Kind.LEFT, cells("1", "2"));
        assertThat(table.render(0, true))
                .isEqualTo(
                        "\u001b[1mS\u001b[0m       \u001b[1mN\u001b[0m\n"
                                + "\u001b[31mfailed\u001b[0m  1\nok      2\n");
    }

    @Test
    void whatStandsInACellIsCleaned() {
        Table table = new Table();
        table.add("N", Kind.LEFT, cells("\u001b[2J\nx"));
        assertThat(table.render(0, false)).isEqualTo("N\n\\e[2J\\nx\n");
    }
}
