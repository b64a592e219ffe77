package dev.berth.store;

import dev.berth.port.StoreFailure;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Gives a checksum to the rows that an earlier version wrote, while the server runs: a few rows at
 * a time, so that no commit waits long for the write lock.
 */
final class ChecksumBackfill {

    private static final int ROWS_PER_COMMIT = 500;

    private final Database database;
    private final BooleanSupplier isCancelled;

    ChecksumBackfill(Database database, BooleanSupplier isCancelled) {
        this.database = database;
        this.isCancelled = isCancelled;
    }

    /**
     * @return how many rows got a checksum
     */
    long run() throws StoreFailure {
        try (var session = database.openWriter()) {
            long stamped = 0;
            for (var table : CheckedTables.ALL) {
                // Each server writes its own row when it starts.
                if (!table.keys().isEmpty()) {
                    stamped += new OneTable(session, table).run();
                }
            }
            if (!isCancelled.getAsBoolean()) {
                database.setAllChecked();
            }
            return stamped;
        } catch (SQLException e) {
            throw database.failure("compute checksums", e);
        }
    }

    private final class OneTable {
        private final SqlSession session;
        private final SqlTable table;
        private final String first;
        private final String following;
        private final String update;
        private List<KeyValue> last = List.of();

        OneTable(SqlSession session, SqlTable table) {
            this.session = session;
            this.table = table;
            var keys = String.join(", ", table.keys());
            var places = table.keys().stream().map(_ -> "?").collect(Collectors.joining(", "));
            var page = "ORDER BY " + keys + " LIMIT " + ROWS_PER_COMMIT;
            this.first = table.select(page);
            this.following = table.select("WHERE (" + keys + ") > (" + places + ") " + page);
            this.update = "UPDATE " + table.name() + " SET checksum = ?" + table.whereKey();
        }

        long run() throws SQLException {
            long stamped = 0;
            while (!isCancelled.getAsBoolean()) {
                ServerRow.lock(session);
                var rows = page();
                for (var row : rows) {
                    if (row.isWithoutChecksum()) {
                        write(row);
                        stamped++;
                    }
                }
                session.commit();
                if (rows.size() < ROWS_PER_COMMIT) {
                    break;
                }
                last = rows.getLast().key();
            }
            return stamped;
        }

        private List<Row> page() throws SQLException {
            var query = session.prepared(last.isEmpty() ? first : following);
            for (var value : last) {
                value.addTo(query);
            }
            var rows = new ArrayList<Row>();
            try (var row = query.query()) {
                while (row.next()) {
                    rows.add(read(row.values()));
                }
            }
            return rows;
        }

        private Row read(RowValues values) {
            var columns = table.checksum().getFirst();
            long checksum = values.checksum(columns);
            boolean isWithout = values.isNull(columns.checksum());
            var key = new ArrayList<KeyValue>();
            for (int column = 1; column <= table.keys().size(); column++) {
                byte[] text = values.text(column);
                key.add(
                        text == null
                                ? new KeyValue.OfNumber(values.number(column))
                                : new KeyValue.OfText(values.show(column)));
            }
            return new Row(key, checksum, isWithout);
        }

        private void write(Row row) throws SQLException {
            var statement = session.prepared(update).add(row.checksum());
            for (var value : row.key()) {
                value.addTo(statement);
            }
            statement.run();
        }
    }

    private record Row(List<KeyValue> key, long checksum, boolean isWithoutChecksum) {}

    /** The value of a key column. */
    private sealed interface KeyValue {
        void addTo(Parameters statement) throws SQLException;

        record OfNumber(long value) implements KeyValue {
            @Override
            public void addTo(Parameters statement) throws SQLException {
                statement.add(value);
            }
        }

        record OfText(String value) implements KeyValue {
            @Override
            public void addTo(Parameters statement) throws SQLException {
                statement.add(value);
            }
        }
    }
}
