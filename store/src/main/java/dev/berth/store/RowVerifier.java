package dev.berth.store;

import org.jspecify.annotations.Nullable;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.stream.Collectors;

/** Reads the checked columns of each row of a result once, and compares them with the checksum. */
final class RowVerifier {

    private final ResultSet result;
    private final CheckedResult layout;
    private final ResultRow.NullChecksum nullChecksum;
    private final RowValues values;

    RowVerifier(ResultSet result, CheckedResult layout, ResultRow.NullChecksum nullChecksum) {
        this.result = result;
        this.layout = layout;
        this.nullChecksum = nullChecksum;
        this.values = new RowValues(layout.lastColumn());
    }

    /** Whether the value of this column is in {@link #values()}. */
    boolean covers(int column) {
        return column <= layout.lastColumn();
    }

    RowValues values() {
        return values;
    }

    void verify() throws SQLException {
        int last = layout.lastColumn();
        for (int index = 1; index <= last; index++) {
            read(index);
        }
        for (var part : layout.parts()) {
            verify(part);
        }
    }

    private void read(int index) throws SQLException {
        switch (layout.kind(index)) {
            case NUMBER -> {
                // A column that was NULL in the row before mostly is again: one call, not two.
                if (values.isNull(index) && result.getObject(index) == null) {
                    return;
                }
                long value = result.getLong(index);
                // The driver reads null as 0, and wasNull is a second native call.
                if (value == 0 && result.wasNull()) {
                    values.setNull(index);
                } else {
                    values.setNumber(index, value);
                }
            }
            case DECIMAL -> {
                double value = result.getDouble(index);
                if (value == 0 && result.wasNull()) {
                    values.setNull(index);
                } else {
                    values.setDecimal(index, value);
                }
            }
            case TEXT -> {
                byte @Nullable [] value = result.getBytes(index);
                if (value == null) {
                    values.setNull(index);
                } else {
                    values.setText(index, value);
                }
            }
        }
    }

    private void verify(CheckedColumns part) throws DamagedRow {
        if (values.isNull(part.checksum())) {
            if (nullChecksum == ResultRow.NullChecksum.DAMAGE && !isAbsent(part)) {
                throw new DamagedRow(part.table(), key(part), "has lost its checksum");
            }
            return;
        }
        if (values.checksum(part) != values.number(part.checksum())) {
            throw new DamagedRow(part.table(), key(part), "does not match its checksum");
        }
    }

    /** An outer join found no row for this table. */
    private boolean isAbsent(CheckedColumns part) {
        return part.columns().stream().allMatch(column -> values.isNull(column.index()));
    }

    /** The key is not in every part of a row; then the first column of the result stands for it. */
    private String key(CheckedColumns part) {
        var keys = CheckedTables.keysOf(part.table());
        var shown =
                part.columns().stream()
                        .filter(column -> keys.contains(column.name()))
                        .map(column -> column.name() + "=" + values.show(column.index()))
                        .collect(Collectors.joining(" "));
        return shown.isEmpty() ? values.show(1) : shown;
    }
}
