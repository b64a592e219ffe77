package dev.berth.store;

import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** Statements made from column lists, in words that SQLite and PostgreSQL share. */
final class Sql {

    private Sql() {}

    /** Writes a whole row, new or not. The first {@code keys} columns name it. */
    static String upsert(String table, int keys, List<String> columns) {
        var places = String.join(", ", Collections.nCopies(columns.size(), "?"));
        var news =
                columns.stream()
                        .skip(keys)
                        .map(column -> column + " = excluded." + column)
                        .collect(Collectors.joining(", "));
        return "INSERT INTO "
                + table
                + " ("
                + String.join(", ", columns)
                + ") VALUES ("
                + places
                + ") ON CONFLICT ("
                + String.join(", ", columns.subList(0, keys))
                + ") DO UPDATE SET "
                + news;
    }

    static String select(List<String> columns, String rest) {
        return "SELECT " + String.join(", ", columns) + " " + rest;
    }

    static List<String> of(String alias, List<String> columns) {
        return columns.stream().map(column -> alias + "." + column).toList();
    }
}
