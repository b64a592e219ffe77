package dev.berth.cli.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Lines with aligned columns. A column in which no row says anything is left out; where the
 * terminal is too narrow, columns that may shrink are clipped, widest first.
 */
public final class Table {

    private static final String GAP = "  ";
    private static final int NARROWEST = 8;

    /** How a column behaves. */
    public enum Kind {
        LEFT,
        RIGHT,
        SHRINKS
    }

    /** One cell; its text is cleaned when it is added. */
    public record Cell(String text, Paint paint) {
        public static Cell of(String text) {
            return new Cell(text, Paint.PLAIN);
        }
    }

    private record Column(String header, Kind kind, List<Cell> cells) {}

    private final List<Column> columns = new ArrayList<>();
    private int rows;

    /** One column, top to bottom. */
    public void add(String header, Kind kind, List<Cell> cells) {
        rows = cells.size();
        List<Cell> clean = new ArrayList<>(cells.size());
        boolean used = false;
        for (Cell cell : cells) {
            clean.add(new Cell(Clean.line(cell.text()), cell.paint()));
            used |= !cell.text().isEmpty();
        }
        if (used) {
            columns.add(new Column(header, kind, clean));
        }
    }

    /** The lines, each ended; {@code width} 0 means that there is no limit. */
    public String render(int width, boolean colours) {
        int[] widths = fitted(width);
        StringBuilder text = new StringBuilder();
        for (int row = -1; row < rows; row++) {
            int padding = 0;
            for (int index = 0; index < columns.size(); index++) {
                Column column = columns.get(index);
                Cell cell =
                        row < 0 ? new Cell(column.header(), Paint.BOLD) : column.cells().get(row);
                String shown = Cells.clip(cell.text(), widths[index]);
                int room = widths[index] - Cells.width(shown);
                int before = column.kind() == Kind.RIGHT ? padding + room : padding;
                if (!shown.isEmpty()) {
                    text.repeat(' ', before).append(cell.paint().on(shown, colours));
                    padding = column.kind() == Kind.RIGHT ? 0 : room;
                } else {
                    padding += room;
                }
                padding += GAP.length();
            }
            text.append('\n');
        }
        return text.toString();
    }

    private int[] fitted(int limit) {
        int[] widths = new int[columns.size()];
        int total = GAP.length() * (columns.size() - 1);
        for (int index = 0; index < widths.length; index++) {
            Column column = columns.get(index);
            int widest = Cells.width(column.header());
            for (Cell cell : column.cells()) {
                widest = Math.max(widest, Cells.width(cell.text()));
            }
            widths[index] = widest;
            total += widest;
        }
        for (int over = limit == 0 ? 0 : total - limit; over > 0; over--) {
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
            boolean may = columns.get(index).kind() == Kind.SHRINKS && widths[index] > NARROWEST;
            if (may && (widest < 0 || widths[index] > widths[widest])) {
                widest = index;
            }
        }
        return widest;
    }
}
