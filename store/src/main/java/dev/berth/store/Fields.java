package dev.berth.store;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** A result whose columns are read from left to right. */
final class Fields implements AutoCloseable {

    private final ResultSet result;
    private int place;

    Fields(ResultSet result) {
        this.result = result;
    }

    boolean next() throws SQLException {
        place = 0;
        return result.next();
    }

    /** Passes columns over: each one read is a call into native code. */
    Fields skip(int columns) {
        place += columns;
        return this;
    }

    String text() throws SQLException {
        return optionalText().orElseThrow(() -> new SQLException("column " + place + " is null"));
    }

    Optional<String> optionalText() throws SQLException {
        // As bytes it takes half as long as the driver's getString, and a long list is mostly text.
        byte @Nullable [] value = result.getBytes(++place);
        return value == null
                ? Optional.empty()
                : Optional.of(new String(value, StandardCharsets.UTF_8));
    }

    byte[] blob() throws SQLException {
        byte @Nullable [] value = result.getBytes(++place);
        if (value == null) {
            throw new SQLException("column " + place + " is null");
        }
        return value;
    }

    /** Only for columns that are never null. */
    long number() throws SQLException {
        return result.getLong(++place);
    }

    OptionalLong optionalNumber() throws SQLException {
        long value = result.getLong(++place);
        // The driver reads null as 0, and asking what it was costs a second call.
        return value == 0 && result.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }

    int smallNumber() throws SQLException {
        return Math.toIntExact(number());
    }

    double decimal() throws SQLException {
        return result.getDouble(++place);
    }

    boolean flag() throws SQLException {
        return number() != 0;
    }

    Instant time() throws SQLException {
        return Micros.instant(number());
    }

    @Override
    public void close() throws SQLException {
        result.close();
    }
}
