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
    void namesKeepTheirEnd() {
        TextTable table = new TextTable();
        table.add(
                "NAME",
                ColumnKind.NAME,
                cells("resnet50-imagenet-lr0.01-seed1", "resnet50-imagenet-lr0.01-seed2"));
        table.add("STATUS", ColumnKind.LEFT, cells("queued", "queued"));
        assertThat(table.render(26, false))
                .isEqualTo(
                        """
                        NAME                STATUS
                        resnet50….01-seed1  queued
                        resnet50….01-seed2  queued
                        """);
    }

    @Test
    void theLeastImportantColumnsAreOmittedWhereNoneCanShrink() {
        TextTable table = new TextTable();
        table.add("ID", ColumnKind.RIGHT, cells("1", "2"));
        table.add("TYPE", ColumnKind.LEFT, cells("A100", "A100"));
        table.add("OWNER", ColumnKind.LEFT, cells("ada", "bob"));
        table.mayOmit(List.of("TYPE", "OWNER"));
        assertThat(table.render(15, false))
                .isEqualTo("ID  TYPE  OWNER\n 1  A100  ada\n 2  A100  bob\n");
        assertThat(table.render(14, false)).isEqualTo("ID  OWNER\n 1  ada\n 2  bob\n");
        assertThat(table.render(3, false)).isEqualTo("ID\n 1\n 2\n");
    }

    @Test
    void laterRowsUseTheLayoutOfTheFirst() {
        TextTable first = new TextTable();
        first.add("ID", ColumnKind.RIGHT, cells("10"));
        first.add("NAME", ColumnKind.NAME, cells("a"));
        first.add("LANE", ColumnKind.LEFT, cells(""));
        TextTable later = new TextTable();
        later.add("ID", ColumnKind.RIGHT, cells("7", "8"));
        later.add("NAME", ColumnKind.NAME, cells("longer", ""));
        later.add("LANE", ColumnKind.LEFT, cells("", "3/1"));
        TableLayout layout = first.layout(0);
        assertThat(layout.header(false)).isEqualTo("ID  NAME\n");
        assertThat(later.rows(layout, false)).isEqualTo(" 7  longer\n 8  LANE=3/1\n");
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
