package dev.berth.store;

import dev.berth.engine.port.History.Point;
import dev.berth.engine.port.History.Span;
import dev.berth.engine.port.Minute;

import java.sql.SQLException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** One question to the history: what is folded, and on top of it what is not yet. */
final class HistoryReading {

    private static final long HOUR_SECONDS = 3600;

    /** No subject has it. */
    private static final long NOBODY = 0;

    private final Session session;
    private final Span span;
    private final List<Minute> fresh;
    private final long subject;
    private final long from;
    private final long to;

    HistoryReading(Session session, Span span, List<Minute> fresh) throws SQLException {
        this.session = session;
        this.span = span;
        this.fresh = fresh;
        this.subject = SubjectRow.find(session, span.subject()).orElse(NOBODY);
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
            for (int second = 0; second < Minute.SECONDS; second++) {
                minute.second(second).ifPresent(point -> points.put(point.at(), point));
            }
        }
        return points;
    }

    private SortedMap<Long, Point> minutes(long first, long end) throws SQLException {
        var points = folded(PointTable.MINUTES, first, end);
        for (var minute : samples(first, end).values()) {
            points.put(minute.at(), minute.whole());
        }
        return points;
    }

    private SortedMap<Long, Point> hours() throws SQLException {
        var points = folded(PointTable.HOURS, from, to);
        var touched = new TreeMap<Long, Long>();
        for (var minute : samples(from, to).values()) {
            long hour = Math.floorDiv(minute.at(), HOUR_SECONDS);
            touched.put(hour, hour * HOUR_SECONDS);
        }
        for (var hour : touched.entrySet()) {
            long at = hour.getValue();
            points.put(at, Folding.whole(hour.getKey(), minutes(at, at + HOUR_SECONDS)));
        }
        return points;
    }

    private SortedMap<Long, Point> folded(PointTable table, long first, long end)
            throws SQLException {
        var points = new TreeMap<Long, Point>();
        for (long block = table.blockAt(first); block <= table.blockAt(end - 1); block++) {
            points.putAll(table.read(session, block, subject));
        }
        return points;
    }

    /** Seconds that are still there are the truth about their minute. */
    private SortedMap<Long, Minute> samples(long first, long end) throws SQLException {
        long firstMinute = Minute.numberAt(first);
        long endMinute = Minute.numberAt(end - 1) + 1;
        var samples = new TreeMap<Long, Minute>();
        for (var minute : SecondRow.of(session, span.subject(), subject, firstMinute, endMinute)) {
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
