package dev.berth.store;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The checked columns of a query's result. The same for each execution of the query. */
final class CheckedResult {

    /** How a column is read, by its declared type. */
    enum Kind {
        NUMBER,
        DECIMAL,
        TEXT
    }

    private final List<CheckedColumns> parts;
    private final List<Kind> kinds = new ArrayList<>();
    private final int lastColumn;

    private CheckedResult(List<CheckedColumns> parts, ResultSetMetaData result)
            throws SQLException {
        this.parts = parts;
        this.lastColumn = parts.isEmpty() ? 0 : parts.getLast().checksum();
        for (int index = 1; index <= lastColumn; index++) {
            kinds.add(kind(result.getColumnTypeName(index).toUpperCase(Locale.ROOT)));
        }
    }

    static CheckedResult of(ResultSetMetaData result) throws SQLException {
        return new CheckedResult(CheckedColumns.of(result), result);
    }

    private static Kind kind(String declared) {
        if (declared.contains("INT")) {
            return Kind.NUMBER;
        }
        return declared.startsWith("DOUBLE") ? Kind.DECIMAL : Kind.TEXT;
    }

    List<CheckedColumns> parts() {
        return parts;
    }

    /** The columns up to this one are read and verified together; 0 if there are none. */
    int lastColumn() {
        return lastColumn;
    }

    Kind kind(int column) {
        return kinds.get(column - 1);
    }
}
