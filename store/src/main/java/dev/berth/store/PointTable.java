package dev.berth.store;

import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Resolution;

import java.sql.SQLException;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** A table with one block of points per row: the minutes of an hour, or the hours of a day. */
final class PointTable {

    static final PointTable MINUTES = new PointTable("minute", "hour", Resolution.MINUTE, 3600);
    static final PointTable HOURS = new PointTable("hour", "day", Resolution.HOUR, 86_400);

    private final long step;
    private final long block;
    private final Column number;
    private final Column subject;
    private final Column points;
    private final String find;
    private final SqlTable.RowWrite save;
    private final String oldest;
    private final String drop;

    private PointTable(String name, String key, Resolution grain, long block) {
        step = grain.seconds();
        this.block = block;
        var table = new SqlTable(name);
        number = table.key(key);
        subject = table.key("subject");
        points = table.column("points");
        find = table.select("WHERE %s = ? AND subject = ?".formatted(key));
        save = table.upsert();
        oldest = "SELECT min(%s) AS oldest FROM %s".formatted(key, name);
        drop = "DELETE FROM %s WHERE %s < ?".formatted(name, key);
    }

    /** The number of the block that contains a point in time. */
    long blockAt(long epochSecond) {
        return Math.floorDiv(epochSecond, block);
    }

    /** The points of a block by the second at which they begin. */
    SortedMap<Long, Point> read(SqlSession session, long blockNumber, long subjectId)
            throws SQLException {
        try (var row = session.prepared(find).add(blockNumber).add(subjectId).query()) {
            return row.next()
                    ? PointBlob.read(row.blob(points), blockNumber * block, step)
                    : new TreeMap<>();
        }
    }

    /** Adds points to a block, replacing those with the same beginning, and returns all of it. */
    SortedMap<Long, Point> merge(
            SqlSession session, long blockNumber, long subjectId, SortedMap<Long, Point> added)
            throws SQLException {
        var all = read(session, blockNumber, subjectId);
        all.putAll(added);
        session.prepared(save)
                .set(number, blockNumber)
                .set(subject, subjectId)
                .set(points, PointBlob.of(all, blockNumber * block, step))
                .run();
        return all;
    }

    /**
     * Deletes blocks before {@code first}, the oldest first and only a few per call: a clock that
     * is wrong for a moment must not delete the whole history.
     *
     * @return the number of the oldest block that may remain
     */
    long deleteBefore(SqlSession session, long first, int atMost) throws SQLException {
        try (var row = session.prepared(oldest).query()) {
            var stored =
                    row.next() ? row.optionalNumber(row.column("oldest")) : OptionalLong.empty();
            if (stored.isEmpty() || stored.getAsLong() >= first) {
                return stored.orElse(first);
            }
            first = Math.min(first, stored.getAsLong() + atMost);
        }
        session.prepared(drop).add(first).run();
        return first;
    }
}
