package dev.berth.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table and those of its columns that one row class reads and writes. All statements list the
 * columns in the order of declaration, so that a {@link Column} has the same index in each. The SQL
 * is common to SQLite and PostgreSQL, but for the numbered parameters of {@link #updateExcept}.
 *
 * <p>In a checked table a checksum column follows the columns that it covers. Its name in a result
 * names the table, so that {@link ResultRow} can verify every result, also that of a join.
 */
final class SqlTable {

    private static final String CHECKSUM = "checksum";

    private final String name;
    private final boolean isChecked;
    private final List<Column> columns = new ArrayList<>();

    /** Empty until all columns are declared, and in a table without checksums. */
    private List<CheckedColumns> checksum = List.of();

    private int keys;

    SqlTable(String name) {
        this(name, false);
    }

    private SqlTable(String name, boolean isChecked) {
        this.name = name;
        this.isChecked = isChecked;
    }

    /** A table whose rows have a column {@code checksum}. */
    static SqlTable checked(String name) {
        return new SqlTable(name, true);
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
        if (!checksum.isEmpty()) {
            throw new IllegalStateException(name + "." + column + " is declared too late");
        }
        var declared = new Column(column, columns.size() + 1);
        columns.add(declared);
        return declared;
    }

    /** All columns are declared when the first statement is made. */
    private List<Column> columns() {
        if (isChecked && checksum.isEmpty()) {
            var names = columns.stream().map(Column::name).toList();
            checksum = List.of(CheckedColumns.of(name, CHECKSUM, names, 1));
            columns.add(new Column(CHECKSUM, columns.size() + 1));
        }
        return columns;
    }

    String name() {
        return name;
    }

    int size() {
        return columns().size();
    }

    List<String> keys() {
        return columns.stream().limit(keys).map(Column::name).toList();
    }

    List<CheckedColumns> checksum() {
        return columns().isEmpty() ? List.of() : checksum;
    }

    /** Writes a whole row, replacing the one with the same key. */
    RowWrite upsert() {
        return write(
                insertSql()
                        + " ON CONFLICT ("
                        + names(columns().subList(0, keys))
                        + ") DO UPDATE SET "
                        + columns().stream()
                                .skip(keys)
                                .map(column -> column.name() + " = excluded." + column.name())
                                .collect(Collectors.joining(", ")));
    }

    RowWrite insert() {
        return write(insertSql());
    }

    private String insertSql() {
        return "INSERT INTO "
                + name
                + " ("
                + names(columns())
                + ") VALUES ("
                + String.join(", ", Collections.nCopies(size(), "?"))
                + ")";
    }

    /**
     * Writes all columns of the rows that meet the condition.
     *
     * @param condition its parameters are added after the columns are set
     */
    RowWrite update(String condition) {
        return write(
                "UPDATE "
                        + name
                        + " SET "
                        + columns().stream()
                                .map(column -> column.name() + " = ?")
                                .collect(Collectors.joining(", "))
                        + " WHERE "
                        + condition);
    }

    /**
     * Writes a row that exists and has the same values in {@code same}. These columns are not
     * written, and no index of them is: SQLite writes an index if a column of it is named, even if
     * its value stays.
     */
    RowWrite updateExcept(List<Column> same) {
        var written =
                columns().stream().skip(keys).filter(column -> !same.contains(column)).toList();
        var found = Stream.concat(columns().stream().limit(keys), same.stream());
        return write(
                "UPDATE "
                        + name
                        + " SET "
                        + written.stream().map(SqlTable::numbered).collect(Collectors.joining(", "))
                        + " WHERE "
                        + found.map(SqlTable::numbered).collect(Collectors.joining(" AND ")));
    }

    private static String numbered(Column column) {
        return column.name() + " = ?" + column.index();
    }

    private RowWrite write(String sql) {
        return new RowWrite(sql, size(), checksum());
    }

    String deleteByKey() {
        return "DELETE FROM " + name + whereKey();
    }

    /** The condition that selects one row. */
    String whereKey() {
        return " WHERE "
                + columns.stream()
                        .limit(keys)
                        .map(column -> column.name() + " = ?")
                        .collect(Collectors.joining(" AND "));
    }

    String select() {
        return "SELECT " + columnsOf(name) + " FROM " + name;
    }

    /**
     * @param rest what follows the table's name
     */
    String select(String rest) {
        return select() + " " + rest;
    }

    /** The columns for a query that joins tables. */
    String columnsOf(String alias) {
        var labels =
                checksum().stream()
                        .collect(
                                Collectors.toMap(
                                        CheckedColumns::checksum,
                                        covered -> " AS " + covered.label()));
        return columns().stream()
                .map(
                        column ->
                                alias
                                        + "."
                                        + column.name()
                                        + labels.getOrDefault(column.index(), ""))
                .collect(Collectors.joining(", "));
    }

    private static String names(List<Column> columns) {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    /**
     * A statement that writes whole rows.
     *
     * @param columns the parameters of a condition follow these
     */
    record RowWrite(String sql, int columns, List<CheckedColumns> checksum) {}
}
