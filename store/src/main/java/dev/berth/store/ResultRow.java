package dev.berth.store;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The rows of a result, one at a time. Of a checked table all columns are read and verified; of
 * others only the columns asked for.
 */
final class ResultRow implements AutoCloseable {

    /** What a row without a checksum means. */
    enum NullChecksum {
        /** An earlier version wrote the row. */
        ACCEPTED,
        /** Every row has had a checksum, so this one is damaged. */
        DAMAGE
    }

    private final ResultSet result;
    private final RowVerifier verifier;

    /** How many columns of the result come before those of the table that is read. */
    private final int offset;

    private ResultRow(ResultSet result, RowVerifier verifier, int offset) {
        this.result = result;
        this.verifier = verifier;
        this.offset = offset;
    }

    static ResultRow of(ResultSet result, CheckedResult layout, NullChecksum nullChecksum) {
        return new ResultRow(result, new RowVerifier(result, layout, nullChecksum), 0);
    }

    /** The same rows, for the table whose columns follow those of {@code first} in a join. */
    ResultRow after(SqlTable first) {
        return new ResultRow(result, verifier, first.size());
    }

    /** Looks up a column by its name in the query. To be called once per result, not per row. */
    Column column(String name) throws SQLException {
        return new Column(name, result.findColumn(name));
    }

    /**
     * @throws DamagedRow if the row does not match its checksum; the next call goes on after it
     */
    boolean next() throws SQLException {
        if (!result.next()) {
            return false;
        }
        verifier.verify();
        return true;
    }

    /** The values of the checked columns of this row. */
    RowValues values() {
        return verifier.values();
    }

    String text(Column column) throws SQLException {
        return optionalText(column).orElseThrow(() -> isNull(column));
    }

    Optional<String> optionalText(Column column) throws SQLException {
        int index = offset + column.index();
        if (verifier.covers(index)) {
            return values().string(index);
        }
        // getBytes takes half as long as the driver's getString, and a long list is mostly text.
        byte @Nullable [] value = result.getBytes(index);
        return value == null
                ? Optional.empty()
                : Optional.of(new String(value, StandardCharsets.UTF_8));
    }

    byte[] blob(Column column) throws SQLException {
        byte @Nullable [] value = result.getBytes(offset + column.index());
        if (value == null) {
            throw isNull(column);
        }
        return value;
    }

    private static SQLException isNull(Column column) {
        return new SQLException("column " + column.name() + " is null");
    }

    /** Only for columns that are never null. */
    long number(Column column) throws SQLException {
        int index = offset + column.index();
        return verifier.covers(index) ? values().number(index) : result.getLong(index);
    }

    OptionalLong optionalNumber(Column column) throws SQLException {
        int index = offset + column.index();
        if (verifier.covers(index)) {
            return values().isNull(index)
                    ? OptionalLong.empty()
                    : OptionalLong.of(values().number(index));
        }
        long value = number(column);
        // The driver reads null as 0, and wasNull is a second native call.
        return value == 0 && result.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }

    int smallNumber(Column column) throws SQLException {
        return Math.toIntExact(number(column));
    }

    OptionalInt optionalSmallNumber(Column column) throws SQLException {
        var value = optionalNumber(column);
        return value.isPresent()
                ? OptionalInt.of(Math.toIntExact(value.getAsLong()))
                : OptionalInt.empty();
    }

    double decimal(Column column) throws SQLException {
        int index = offset + column.index();
        return verifier.covers(index) ? values().decimal(index) : result.getDouble(index);
    }

    boolean flag(Column column) throws SQLException {
        return number(column) != 0;
    }

    Instant time(Column column) throws SQLException {
        return Micros.instant(number(column));
    }

    Optional<Instant> optionalTime(Column column) throws SQLException {
        return Micros.instant(optionalNumber(column));
    }

    @Override
    public void close() throws SQLException {
        result.close();
    }
}
