package dev.berth.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** A statement whose places are filled from left to right. */
final class Params {

    private final PreparedStatement statement;
    private int place;

    Params(PreparedStatement statement) {
        this.statement = statement;
    }

    Params fromTheFirst() {
        place = 0;
        return this;
    }

    Params text(String value) throws SQLException {
        statement.setString(++place, value);
        return this;
    }

    Params text(Optional<String> value) throws SQLException {
        return value.isPresent() ? text(value.get()) : none();
    }

    Params number(long value) throws SQLException {
        statement.setLong(++place, value);
        return this;
    }

    Params number(OptionalLong value) throws SQLException {
        return value.isPresent() ? number(value.getAsLong()) : none();
    }

    Params decimal(double value) throws SQLException {
        statement.setDouble(++place, value);
        return this;
    }

    Params blob(byte[] value) throws SQLException {
        statement.setBytes(++place, value);
        return this;
    }

    Params flag(boolean value) throws SQLException {
        return number(value ? 1 : 0);
    }

    Params time(Instant value) throws SQLException {
        return number(Micros.of(value));
    }

    Params none() throws SQLException {
        statement.setNull(++place, Types.NULL);
        return this;
    }

    Params none(int places) throws SQLException {
        for (int i = 0; i < places; i++) {
            none();
        }
        return this;
    }

    /**
     * @return how many rows it changed
     */
    int run() throws SQLException {
        return statement.executeUpdate();
    }

    Fields query() throws SQLException {
        return new Fields(statement.executeQuery());
    }
}
