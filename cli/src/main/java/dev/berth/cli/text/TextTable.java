package dev.berth.cli.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Text in aligned columns. A column without any text is omitted. If the terminal is too narrow,
 * shrinkable columns are shortened, the widest first.
 */
public final class TextTable {

    private static final String GAP = "  ";
    private static final int MIN_WIDTH = 8;

    /** The alignment of a column. */
    public enum ColumnKind {
        LEFT,
        RIGHT,
        SHRINKABLE
    }

    /** One cell. Its text is made safe to print when it is added. */
    public record Cell(String text, TextStyle style) {
        public static Cell of(String text) {
            return new Cell(text, TextStyle.PLAIN);
        }
    }

    private record TableColumn(String header, ColumnKind kind, List<Cell> cells) {}

    private final List<TableColumn> columns = new ArrayList<>();
    private int rows;

    /** Adds one column, top to bottom. */
    public void add(String header, ColumnKind kind, List<Cell> cells) {
        rows = cells.size();
        List<Cell> clean = new ArrayList<>(cells.size());
        boolean used = false;
        for (Cell cell : cells) {
            clean.add(new Cell(SafeText.line(cell.text()), cell.style()));
            used |= !cell.text().isEmpty();
        }
        if (used) {
            columns.add(new TableColumn(header, kind, clean));
        }
    }

    /** The lines, each with a line end; {@code width} 0 means no limit. */
    public String render(int width, boolean colours) {
        int[] widths = fittedWidths(width);
        StringBuilder text = new StringBuilder();
        for (int row = -1; row < rows; row++) {
            int padding = 0;
            for (int index = 0; index < columns.size(); index++) {
                TableColumn column = columns.get(index);
                Cell cell =
                        row < 0
                                ? new Cell(column.header(), TextStyle.BOLD)
                                : column.cells().get(row);
                String shown = TerminalWidth.clip(cell.text(), widths[index]);
                int space = widths[index] - TerminalWidth.width(shown);
                int before = column.kind() == ColumnKind.RIGHT ? padding + space : padding;
                if (!shown.isEmpty()) {
                    text.repeat(' ', before).append(cell.style().apply(shown, colours));
                    padding = column.kind() == ColumnKind.RIGHT ? 0 : space;
                } else {
                    padding += space;
                }
                padding += GAP.length();
            }
            text.append('\n');
        }
        return text.toString();
    }

    private int[] fittedWidths(int limit) {
        int[] widths = new int[columns.size()];
        int total = GAP.length() * (columns.size() - 1);
        for (int index = 0; index < widths.length; index++) {
            TableColumn column = columns.get(index);
            int widest = TerminalWidth.width(column.header());
            for (Cell cell : column.cells()) {
                widest = Math.max(widest, TerminalWidth.width(cell.text()));
            }
            widths[index] = widest;
            total += widest;
        }
        for (int excess = limit == 0 ? 0 : total - limit; excess > 0; excess--) {
            int widest = widestThatShrinks(widths);
            if (widest < 0) {
                break;
            }
            widths[widest]--;
        }
        return widths;
    }

    private int widestThatShrinks(int[] widths) {
        int widest = -1;
        for (int index = 0; index < widths.length; index++) {
            boolean canShrink =
                    columns.get(index).kind() == ColumnKind.SHRINKABLE && widths[index] > MIN_WIDTH;
            if (canShrink && (widest < 0 || widths[index] > widths[widest])) {
                widest = index;
            }
        }
        return widest;
    }
}
