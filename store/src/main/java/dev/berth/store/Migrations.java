package dev.berth.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The schema migrations: script {@code n.sql} migrates version n − 1 to version n. A published
 * script is never changed, so that a database of any release can be migrated.
 */
final class Migrations {

    static final int CURRENT = 5;

    private Migrations() {}

    /**
     * @param connection not in auto-commit: each step is one transaction
     */
    static void migrate(Connection connection, int from) throws SQLException {
        for (int version = from + 1; version <= CURRENT; version++) {
            try (var statement = connection.createStatement()) {
                statement.executeUpdate(script(version));
                statement.executeUpdate("PRAGMA user_version = " + version);
            }
            connection.commit();
        }
    }

    private static String script(int version) {
        var name = "sqlite/" + version + ".sql";
        try (var script = Migrations.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("this build lacks " + name);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
