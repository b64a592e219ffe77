package dev.berth.store;

import dev.berth.port.StoreFailure;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Verifies a whole database, also while a server uses it: its structure, its indexes, and the
 * checksum of every row.
 */
public final class DeepCheck {

    /** After this many findings the check ends. */
    public static final int MAX_DAMAGE = 100;

    private static final int ROWS_PER_REPORT = 100_000;

    private final Path file;
    private final Progress progress;
    private final BooleanSupplier isCancelled;
    private final List<String> damage = new ArrayList<>();
    private long rows;
    private long withoutChecksum;

    private DeepCheck(Path file, Progress progress, BooleanSupplier isCancelled) {
        this.file = file;
        this.progress = progress;
        this.isCancelled = isCancelled;
    }

    /** Is called from time to time. */
    public interface Progress {
        void on(String what, long rows);
    }

    /**
     * @param damage what is damaged; at most the first hundred findings
     * @param withoutChecksum rows that an earlier version wrote
     */
    public record Report(long rows, long withoutChecksum, List<String> damage) {
        public Report {
            damage = List.copyOf(damage);
        }

        public boolean isSound() {
            return damage.isEmpty();
        }
    }

    public static Report run(Path file, Progress progress) throws StoreFailure, HomeRefused {
        return run(file, progress, () -> false);
    }

    /**
     * @param isCancelled asked after each row; if true, the report covers only what was read
     */
    public static Report run(Path file, Progress progress, BooleanSupplier isCancelled)
            throws StoreFailure, HomeRefused {
        var check = new DeepCheck(file.toAbsolutePath(), progress, isCancelled);
        try {
            check.run();
        } catch (SQLException e) {
            if (!SqliteErrors.isCorruption(e)) {
                throw SqliteErrors.of("check", file, e);
            }
            check.add(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new StoreFailure(
                    StoreFailure.Kind.UNAVAILABLE, "cannot read " + file + ": " + e, e);
        }
        return new Report(check.rows, check.withoutChecksum, check.damage);
    }

    private void run() throws SQLException, IOException, HomeRefused {
        int version;
        try (var connection = Database.reader(file)) {
            version = new DatabaseCheck(file).knownVersion(connection);
            progress.on("structure", 0);
            checkStructure(connection);
        }
        if (version < Migrations.CURRENT) {
            // The statements below read the columns of the current version.
            return;
        }
        var nullChecksum = nullChecksum();
        for (var table : CheckedTables.ALL) {
            // A session of its own: a long read keeps the log of a running server from being reset.
            try (var session = session(nullChecksum)) {
                checkRows(session, table);
            }
        }
    }

    private ResultRow.NullChecksum nullChecksum() throws SQLException {
        try (var session = session(ResultRow.NullChecksum.ACCEPTED)) {
            return ServerRow.read(session).isAllChecked()
                    ? ResultRow.NullChecksum.DAMAGE
                    : ResultRow.NullChecksum.ACCEPTED;
        } catch (DamagedRow _) {
            // The check of its table reports it.
            return ResultRow.NullChecksum.ACCEPTED;
        }
    }

    private SqlSession session(ResultRow.NullChecksum nullChecksum) throws SQLException {
        return new SqlSession(Database.reader(file), nullChecksum);
    }

    private void checkStructure(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var result = statement.executeQuery("PRAGMA integrity_check(" + MAX_DAMAGE + ")")) {
            while (result.next()) {
                var found = result.getString(1);
                if (!found.equals("ok")) {
                    add(found);
                }
            }
        }
    }

    private void checkRows(SqlSession session, SqlTable table) throws SQLException {
        long before = rows;
        try (var row = session.prepared(table.select()).query()) {
            while (damage.size() < MAX_DAMAGE && !isCancelled.getAsBoolean() && next(row)) {
                rows++;
                if (row.values().isNull(table.checksum().getFirst().checksum())) {
                    withoutChecksum++;
                }
                if ((rows - before) % ROWS_PER_REPORT == 0) {
                    progress.on(table.name(), rows - before);
                }
            }
        } catch (SQLException e) {
            if (!SqliteErrors.isCorruption(e)) {
                throw e;
            }
            add("table " + table.name() + ": " + e.getMessage());
        }
        progress.on(table.name(), rows - before);
    }

    /** Goes on after a row that does not match. */
    private boolean next(ResultRow row) throws SQLException {
        while (true) {
            try {
                return row.next();
            } catch (DamagedRow found) {
                rows++;
                add(String.valueOf(found.getMessage()));
                if (damage.size() >= MAX_DAMAGE) {
                    return false;
                }
            }
        }
    }

    private void add(String found) {
        if (damage.size() < MAX_DAMAGE) {
            damage.add(found);
        }
    }
}
