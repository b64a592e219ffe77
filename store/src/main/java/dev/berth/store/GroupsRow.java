package dev.berth.store;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The groups of one principal, as a row of {@code user_groups}. */
final class GroupsRow {

    static final SqlTable TABLE = SqlTable.checked("user_groups");

    private static final Column PRINCIPAL = TABLE.key("principal");
    private static final Column NAMES = TABLE.column("names");

    private static final SqlTable.RowWrite UPSERT = TABLE.upsert();
    private static final String ALL = TABLE.select("");

    /** No name of a group contains it. */
    private static final String SEPARATOR = "\n";

    private GroupsRow() {}

    static void save(SqlSession session, String principal, SortedSet<String> groups)
            throws SQLException {
        session.prepared(UPSERT)
                .set(PRINCIPAL, principal)
                .set(NAMES, String.join(SEPARATOR, groups))
                .run();
    }

    static SortedMap<String, SortedSet<String>> readAll(SqlSession session) throws SQLException {
        var all = new TreeMap<String, SortedSet<String>>();
        try (var row = session.prepared(ALL).query()) {
            while (row.next()) {
                var names = new TreeSet<>(Arrays.asList(row.text(NAMES).split(SEPARATOR, -1)));
                names.remove("");
                all.put(row.text(PRINCIPAL), names);
            }
        }
        return all;
    }
}
