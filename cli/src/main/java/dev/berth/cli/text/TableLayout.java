package dev.berth.cli.text;

import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.cli.text.TextTable.TableColumn;

import java.util.ArrayList;
import java.util.List;

/**
 * Which columns of a table are shown, and how wide. Rows that were not known when the layout was
 * chosen can use it too: their cells may be wider, and a cell of a column that is not shown is
 * appended to its row.
 */
public final class TableLayout {

    private static final String GAP = "  ";
    private static final int MIN_WIDTH = 8;
    private static final int MIN_NAME_WIDTH = 16;

    /** What happens with the cells of a column. */
    private enum Visibility {
        SHOWN,
        /** No row had a text. */
        UNUSED,
        /** The terminal is too narrow. */
        OMITTED
    }

    private static final class LayoutColumn {
        private final String header;
        private final ColumnKind kind;
        private int width;
        private Visibility visibility;

        LayoutColumn(TableColumn column) {
            header = column.header();
            kind = column.kind();
            visibility = column.isUsed() ? Visibility.SHOWN : Visibility.UNUSED;
            width = TerminalWidth.width(header);
            for (Cell cell : column.cells()) {
                width = Math.max(width, TerminalWidth.width(cell.text()));
            }
        }

        int minWidth() {
            return switch (kind) {
                case LEFT, RIGHT -> width;
                case SHRINKABLE -> Math.min(width, MIN_WIDTH);
                case NAME -> Math.min(width, MIN_NAME_WIDTH);
            };
        }

        boolean isShown() {
            return visibility == Visibility.SHOWN;
        }

        String clip(String text) {
            return switch (kind) {
                case LEFT, RIGHT -> text;
                case SHRINKABLE -> TerminalWidth.clip(text, width);
                case NAME -> TerminalWidth.clipMiddle(text, width);
            };
        }
    }

    private final List<LayoutColumn> columns = new ArrayList<>();
    private final boolean isLimited;

    private TableLayout(boolean isLimited) {
        this.isLimited = isLimited;
    }

    static TableLayout fit(List<TableColumn> columns, List<String> omissible, int limit) {
        TableLayout layout = new TableLayout(limit > 0);
        for (TableColumn column : columns) {
            layout.columns.add(new LayoutColumn(column));
        }
        if (limit > 0) {
            layout.omit(omissible, limit);
            layout.shrink(limit);
        }
        return layout;
    }

    private void omit(List<String> omissible, int limit) {
        for (String header : omissible) {
            int least = -GAP.length();
            for (LayoutColumn column : columns) {
                least += column.isShown() ? column.minWidth() + GAP.length() : 0;
            }
            if (least <= limit) {
                return;
            }
            for (LayoutColumn column : columns) {
                if (column.isShown() && column.header.equals(header)) {
                    column.visibility = Visibility.OMITTED;
                }
            }
        }
    }

    private void shrink(int limit) {
        int total = -GAP.length();
        for (LayoutColumn column : columns) {
            total += column.isShown() ? column.width + GAP.length() : 0;
        }
        for (; total > limit; total--) {
            LayoutColumn widest = null;
            for (LayoutColumn column : columns) {
                boolean canShrink = column.isShown() && column.width > column.minWidth();
                if (canShrink && (widest == null || column.width > widest.width)) {
                    widest = column;
                }
            }
            if (widest == null) {
                return;
            }
            widest.width--;
        }
    }

    /** The line with the headers. */
    public String header(boolean colours) {
        List<Cell> cells = new ArrayList<>(columns.size());
        for (LayoutColumn column : columns) {
            cells.add(new Cell(column.isShown() ? column.header : "", TextStyle.BOLD));
        }
        StringBuilder line = new StringBuilder();
        appendRow(cells, colours, line);
        return line.toString();
    }

    /**
     * @param cells of all columns, also of those that are not shown
     */
    void appendRow(List<Cell> cells, boolean colours, StringBuilder text) {
        int padding = 0;
        StringBuilder unexpected = new StringBuilder();
        for (int index = 0; index < columns.size(); index++) {
            LayoutColumn column = columns.get(index);
            Cell cell = cells.get(index);
            if (!column.isShown()) {
                boolean isNew = column.visibility == Visibility.UNUSED && !cell.text().isEmpty();
                unexpected.append(isNew ? GAP + column.header + "=" + cell.text() : "");
                continue;
            }
            String shown = isLimited ? column.clip(cell.text()) : cell.text();
            int space = Math.max(0, column.width - TerminalWidth.width(shown));
            boolean isRight = column.kind == ColumnKind.RIGHT;
            if (shown.isEmpty()) {
                padding += space;
            } else {
                text.repeat(' ', isRight ? padding + space : padding);
                text.append(cell.style().apply(shown, colours));
                padding = isRight ? 0 : space;
            }
            padding += GAP.length();
        }
        text.append(unexpected).append('\n');
    }
}
