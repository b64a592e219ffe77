package dev.berth.store;

import dev.berth.core.task.ScriptHash;

import org.sqlite.Function;

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

    static final int CURRENT = 18;

    private Migrations() {}

    /**
     * @param connection not in auto-commit: each step is one transaction
     */
    static void migrate(Connection connection, int from) throws SQLException {
        addFunctions(connection);
        for (int version = from + 1; version <= CURRENT; version++) {
            try (var statement = connection.createStatement()) {
                statement.executeUpdate(script(version));
                statement.executeUpdate("PRAGMA user_version = " + version);
            }
            connection.commit();
        }
    }

    /** SQLite cannot hash. The functions exist in this connection only. */
    private static void addFunctions(Connection connection) throws SQLException {
        Function.create(
                connection,
                "berth_hash",
                new Function() {
                    @Override
                    protected void xFunc() throws SQLException {
                        result(ScriptHash.of(value_text(0)));
                    }
                });
        Function.create(
                connection,
                "berth_hash_json",
                new Function() {
                    @Override
                    protected void xFunc() throws SQLException {
                        result(ScriptHash.of(JsonText.read(value_text(0))));
                    }
                });
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
