package dev.berth.cli.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Text in aligned columns. A column without any text is omitted. If the terminal is too narrow,
 * shrinkable columns are shortened, the widest first; if that does not suffice, columns that may be
 * omitted are left out.
 */
public final class TextTable {

    /** The alignment of a column, and how its cells are shortened. */
    public enum ColumnKind {
        LEFT,
        RIGHT,
        /** Shortened at the end. */
        SHRINKABLE,
        /** Shortened in the middle: similar names often differ only at their end. */
        NAME
    }

    /** One cell. Its text is made safe to print when it is added. */
    public record Cell(String text, TextStyle style) {
        public static Cell of(String text) {
            return new Cell(text, TextStyle.PLAIN);
        }
    }

    record TableColumn(String header, ColumnKind kind, List<Cell> cells) {

        boolean isUsed() {
            return cells.stream().anyMatch(cell -> !cell.text().isEmpty());
        }
    }

    private final List<TableColumn> columns = new ArrayList<>();
    private List<String> omissible = List.of();
    private int rows;

    /** Adds one column, top to bottom. */
    public void add(String header, ColumnKind kind, List<Cell> cells) {
        rows = cells.size();
        List<Cell> clean = new ArrayList<>(cells.size());
        for (Cell cell : cells) {
            clean.add(new Cell(SafeText.line(cell.text()), cell.style()));
        }
        columns.add(new TableColumn(header, kind, clean));
    }

    /** The columns that are left out on a narrow terminal, the least important first. */
    public void mayOmit(List<String> headers) {
        omissible = List.copyOf(headers);
    }

    /** The lines, each with a line end; {@code width} 0 means no limit. */
    public String render(int width, boolean colours) {
        TableLayout layout = layout(width);
        return layout.header(colours) + rows(layout, colours);
    }

    /** The columns to show and their widths; {@code width} 0 means no limit. */
    public TableLayout layout(int width) {
        return TableLayout.fit(columns, omissible, width);
    }

    /** The lines without the header. The layout may be that of a table with the same columns. */
    public String rows(TableLayout layout, boolean colours) {
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < rows; row++) {
            List<Cell> cells = new ArrayList<>(columns.size());
            for (TableColumn column : columns) {
                cells.add(column.cells().get(row));
            }
            layout.appendRow(cells, colours, text);
        }
        return text.toString();
    }
}
