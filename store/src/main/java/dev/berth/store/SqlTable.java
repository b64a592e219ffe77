package dev.berth.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A table and those of its columns that one row class reads and writes. All statements list the
 * columns in the order of declaration, so that a {@link Column} has the same index in each. The SQL
 * is common to SQLite and PostgreSQL.
 */
final class SqlTable {

    private final String name;
    private final List<Column> columns = new ArrayList<>();
    private int keys;

    SqlTable(String name) {
        this.name = name;
    }

    /** Declares a column of the primary key. Key columns are declared before all others. */
    Column key(String column) {
        if (keys < columns.size()) {
            throw new IllegalStateException(name + "." + column + " is declared too late");
        }
        keys++;
        return column(column);
    }

    Column column(String column) {
        var declared = new Column(column, columns.size() + 1);
        columns.add(declared);
        return declared;
    }

    int size() {
        return columns.size();
    }

    /** Writes a whole row, replacing the one with the same key. */
    String upsert() {
        return insert()
                + " ON CONFLICT ("
                + names(columns.subList(0, keys))
                + ") DO UPDATE SET "
                + columns.stream()
                        .skip(keys)
                        .map(column -> column.name() + " = excluded." + column.name())
                        .collect(Collectors.joining(", "));
    }

    String insert() {
        return "INSERT INTO "
                + name
                + " ("
                + names(columns)
                + ") VALUES ("
                + String.join(", ", Collections.nCopies(columns.size(), "?"))
                + ")";
    }

    /** Writes all columns of all rows; for a table with a single row. */
    String update() {
        return "UPDATE "
                + name
                + " SET "
                + columns.stream()
                        .map(column -> column.name() + " = ?")
                        .collect(Collectors.joining(", "));
    }

    String deleteByKey() {
        return "DELETE FROM "
                + name
                + " WHERE "
                + columns.stream()
                        .limit(keys)
                        .map(column -> column.name() + " = ?")
                        .collect(Collectors.joining(" AND "));
    }

    String select() {
        return "SELECT " + names(columns) + " FROM " + name;
    }

    /**
     * @param rest what follows the table's name
     */
    String select(String rest) {
        return select() + " " + rest;
    }

    /** The columns for a query that joins tables. */
    String columnsOf(String alias) {
        return columns.stream()
                .map(column -> alias + "." + column.name())
                .collect(Collectors.joining(", "));
    }

    private static String names(List<Column> columns) {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }
}
