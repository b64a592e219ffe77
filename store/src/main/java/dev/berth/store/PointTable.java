package dev.berth.store;

import dev.berth.engine.port.History.Grain;
import dev.berth.engine.port.History.Point;

import java.sql.SQLException;
import java.util.SortedMap;
import java.util.TreeMap;

/** Rows that hold a block of points each: the minutes of an hour, the hours of a day. */
enum PointTable {
    MINUTES("minute", "hour", Grain.MINUTE.seconds(), 3600),
    HOURS("hour", "day", Grain.HOUR.seconds(), 86_400);

    private final long step;
    private final long block;
    private final String find;
    private final String save;
    private final String oldest;
    private final String drop;

    PointTable(String table, String key, long step, long block) {
        this.step = step;
        this.block = block;
        find = "SELECT points FROM %s WHERE %s = ? AND subject = ?".formatted(table, key);
        save =
                "INSERT OR REPLACE INTO %s (%s, subject, points) VALUES (?, ?, ?)"
                        .formatted(table, key);
        oldest = "SELECT min(%s) FROM %s".formatted(key, table);
        drop = "DELETE FROM %s WHERE %s < ?".formatted(table, key);
    }

    /** The block in which a moment lies. */
    long blockAt(long epochSecond) {
        return Math.floorDiv(epochSecond, block);
    }

    /** By where they begin. */
    SortedMap<Long, Point> read(Session session, long number, long subject) throws SQLException {
        try (var row = session.prepared(find).number(number).number(subject).query()) {
            return row.next() ? PointBlob.read(row.blob(), number * block, step) : new TreeMap<>();
        }
    }

    /** Those of one block; others of it stay. */
    SortedMap<Long, Point> merge(
            Session session, long number, long subject, SortedMap<Long, Point> points)
            throws SQLException {
        var all = read(session, number, subject);
        all.putAll(points);
        session.prepared(save)
                .number(number)
                .number(subject)
                .blob(PointBlob.of(all, number * block, step))
                .run();
        return all;
    }

    /**
     * Drops blocks before {@code first}, the oldest ones first and only a few at a time: a clock
     * that is wrong for a moment does not cost everything.
     *
     * @return the oldest block that may be left
     */
    long expire(Session session, long first, int atMost) throws SQLException {
        try (var row = session.prepared(oldest).query()) {
            var there = row.next() ? row.optionalNumber() : java.util.OptionalLong.empty();
            if (there.isEmpty() || there.getAsLong() >= first) {
                return there.orElse(first);
            }
            first = Math.min(first, there.getAsLong() + atMost);
        }
        session.prepared(drop).number(first).run();
        return first;
    }
}
