package dev.berth.store;

import dev.berth.core.task.ShellContext;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The shell of a submit as a row of {@code shell}; the key is the hash of its content. */
final class ShellRow {

    static final SqlTable TABLE = SqlTable.checked("shell");

    private static final Column SHA256 = TABLE.key("sha256");
    private static final Column ENVIRONMENT = TABLE.column("environment");
    private static final Column UMASK = TABLE.column("umask");
    private static final Column LIMITS = TABLE.column("limits");

    private static final SqlTable.RowWrite INSERT = TABLE.insert();
    private static final String FIND = TABLE.select(TABLE.whereKey());

    private ShellRow() {}

    /**
     * Writes the row unless there is one.
     *
     * @return its key
     */
    static String save(SqlSession session, ShellContext shell) throws SQLException {
        var environment = JsonText.of(shell.environment());
        var limits = JsonText.of(texts(shell.limits()));
        var key = sha256(environment, shell.umask(), limits);
        if (!exists(session, key)) {
            session.prepared(INSERT)
                    .set(SHA256, key)
                    .set(ENVIRONMENT, environment)
                    .set(UMASK, shell.umask())
                    .set(LIMITS, limits)
                    .run();
        }
        return key;
    }

    private static boolean exists(SqlSession session, String key) throws SQLException {
        try (var row = session.prepared(FIND).add(key).query()) {
            return row.next();
        }
    }

    static Optional<ShellContext> find(SqlSession session, String key) throws SQLException {
        try (var row = session.prepared(FIND).add(key).query()) {
            return row.next()
                    ? Optional.of(
                            new ShellContext(
                                    JsonText.read(row.text(ENVIRONMENT)),
                                    row.text(UMASK),
                                    numbers(JsonText.read(row.text(LIMITS)))))
                    : Optional.empty();
        }
    }

    private static String sha256(String environment, String umask, String limits) {
        try {
            var content = environment + '\0' + umask + '\0' + limits;
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256")
                                    .digest(content.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private static SortedMap<String, String> texts(SortedMap<String, Long> numbers) {
        var texts = new TreeMap<String, String>();
        numbers.forEach((name, value) -> texts.put(name, value.toString()));
        return texts;
    }

    private static SortedMap<String, Long> numbers(SortedMap<String, String> texts) {
        var numbers = new TreeMap<String, Long>();
        texts.forEach((name, value) -> numbers.put(name, Long.valueOf(value)));
        return numbers;
    }
}
