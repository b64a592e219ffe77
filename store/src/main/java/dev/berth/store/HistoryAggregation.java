package dev.berth.store;

import dev.berth.core.gpu.GpuId;
import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Subject;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Aggregates the samples of a past hour into minutes and hours. Aggregating an hour twice gives the
 * same result, or a better one if samples were added, so no record of aggregated hours is needed.
 */
final class HistoryAggregation {

    private static final String HOURS =
            "SELECT DISTINCT minute / 60 AS hour FROM second WHERE minute >= ? AND minute < ?";
    private static final String SECONDS =
            SamplesRow.TABLE.select("WHERE minute >= ? AND minute < ?");

    private static final long MINUTES = 60;

    /** A placeholder: the subject of a sample does not matter for its sum. */
    private static final Subject ANY_SUBJECT = new Subject.OfGpu(new GpuId("", ""));

    private HistoryAggregation() {}

    /** The hours that have samples. */
    static List<Long> hoursWithSamples(SqlSession session, long from, long to) throws SQLException {
        var hours = new ArrayList<Long>();
        try (var row = session.prepared(HOURS).add(from * MINUTES).add(to * MINUTES).query()) {
            var hour = row.column("hour");
            while (row.next()) {
                hours.add(row.number(hour));
            }
        }
        return hours;
    }

    static void aggregate(SqlSession session, long hour) throws SQLException {
        for (var subject : minutes(session, hour).entrySet()) {
            long id = subject.getKey();
            var minutes = PointTable.MINUTES.merge(session, hour, id, subject.getValue());
            var whole = sum(hour, minutes);
            var points = new TreeMap<>(Map.of(whole.at(), whole));
            PointTable.HOURS.merge(session, PointTable.HOURS.blockAt(whole.at()), id, points);
            SubjectIds.setLastHour(session, id, hour);
        }
    }

    private static SortedMap<Long, SortedMap<Long, Point>> minutes(SqlSession session, long hour)
            throws SQLException {
        var bySubject = new TreeMap<Long, SortedMap<Long, Point>>();
        long from = hour * MINUTES;
        try (var row = session.prepared(SECONDS).add(from).add(from + MINUTES).query()) {
            while (row.next()) {
                long minute = row.number(SamplesRow.MINUTE);
                var samples = SampleBlob.read(ANY_SUBJECT, minute, row.blob(SamplesRow.SAMPLES));
                var point = samples.total();
                bySubject
                        .computeIfAbsent(row.number(SamplesRow.SUBJECT), _ -> new TreeMap<>())
                        .put(point.at(), point);
            }
        }
        return bySubject;
    }

    /** Exact, because a point holds sums and not means. */
    static Point sum(long hour, SortedMap<Long, Point> minutes) {
        return minutes.values().stream()
                .reduce(Point::plus)
                .orElseThrow()
                .at(hour * MINUTES * MINUTES);
    }
}
