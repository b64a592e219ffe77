package dev.berth.store;

import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Span;

import java.sql.SQLException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Answers one query of the history from the aggregated points, completed by samples that are not
 * aggregated yet.
 */
final class HistoryQuery {

    private static final long HOUR_SECONDS = 3600;

    /** The id of no subject: SQLite counts from 1. */
    private static final long NO_SUBJECT = 0;

    private final SqlSession session;
    private final Span span;
    private final List<MinuteSamples> fresh;
    private final long subject;
    private final long from;
    private final long to;

    HistoryQuery(SqlSession session, Span span, List<MinuteSamples> fresh) throws SQLException {
        this.session = session;
        this.span = span;
        this.fresh = fresh;
        this.subject = SubjectIds.find(session, span.subject()).orElse(NO_SUBJECT);
        long step = span.grain().seconds();
        this.from = Math.floorDiv(span.from().getEpochSecond(), step) * step;
        this.to = Math.max(from, ceiling(span.to().getEpochSecond(), step));
    }

    private static long ceiling(long value, long step) {
        return Math.ceilDiv(value, step) * step;
    }

    List<Point> points() throws SQLException {
        var points =
                switch (span.grain()) {
                    case SECOND -> seconds();
                    case MINUTE -> minutes(from, to);
                    case HOUR -> hours();
                };
        return List.copyOf(points.subMap(from, to).values());
    }

    private SortedMap<Long, Point> seconds() throws SQLException {
        var points = new TreeMap<Long, Point>();
        for (var minute : samples(from, to).values()) {
            for (int second = 0; second < MinuteSamples.SECONDS; second++) {
                minute.second(second).ifPresent(point -> points.put(point.at(), point));
            }
        }
        return points;
    }

    private SortedMap<Long, Point> minutes(long first, long end) throws SQLException {
        var points = aggregated(PointTable.MINUTES, first, end);
        for (var minute : samples(first, end).values()) {
            points.put(minute.at(), minute.total());
        }
        return points;
    }

    private SortedMap<Long, Point> hours() throws SQLException {
        var points = aggregated(PointTable.HOURS, from, to);
        var touched = new TreeMap<Long, Long>();
        for (var minute : samples(from, to).values()) {
            long hour = Math.floorDiv(minute.at(), HOUR_SECONDS);
            touched.put(hour, hour * HOUR_SECONDS);
        }
        for (var hour : touched.entrySet()) {
            long at = hour.getValue();
            points.put(at, HistoryAggregation.sum(hour.getKey(), minutes(at, at + HOUR_SECONDS)));
        }
        return points;
    }

    private SortedMap<Long, Point> aggregated(PointTable table, long first, long end)
            throws SQLException {
        var points = new TreeMap<Long, Point>();
        for (long block = table.blockAt(first); block <= table.blockAt(end - 1); block++) {
            points.putAll(table.read(session, block, subject));
        }
        return points;
    }

    /** The minutes that still have samples. These are more exact than the aggregated points. */
    private SortedMap<Long, MinuteSamples> samples(long first, long end) throws SQLException {
        long firstMinute = MinuteSamples.numberAt(first);
        long endMinute = MinuteSamples.numberAt(end - 1) + 1;
        var samples = new TreeMap<Long, MinuteSamples>();
        for (var minute :
                SamplesRow.read(session, span.subject(), subject, firstMinute, endMinute)) {
            samples.put(minute.number(), minute);
        }
        for (var minute : fresh) {
            if (minute.number() >= firstMinute && minute.number() < endMinute) {
                samples.merge(minute.number(), minute, (kept, later) -> kept.copy().with(later));
            }
        }
        return samples;
    }
}
