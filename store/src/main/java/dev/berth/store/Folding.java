package dev.berth.store;

import dev.berth.core.card.CardId;
import dev.berth.engine.port.History.Point;
import dev.berth.engine.port.History.Subject;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Makes minutes and hours of seconds when an hour is over. Folding an hour again changes nothing
 * but what its seconds say anew, so nobody need remember what has been folded.
 */
final class Folding {

    private static final String HOURS =
            "SELECT DISTINCT minute / 60 FROM second WHERE minute >= ? AND minute < ?";
    private static final String SECONDS =
            "SELECT minute, subject, samples FROM second WHERE minute >= ? AND minute < ?";

    private static final long MINUTES = 60;

    /** Samples are summed up without asking whose they are. */
    private static final Subject ANYBODY = new Subject.OfCard(new CardId("", ""));

    private Folding() {}

    /** The hours of which there are seconds. */
    static List<Long> hours(Session session, long from, long to) throws SQLException {
        var hours = new ArrayList<Long>();
        try (var row =
                session.prepared(HOURS).number(from * MINUTES).number(to * MINUTES).query()) {
            while (row.next()) {
                hours.add(row.number());
            }
        }
        return hours;
    }

    static void fold(Session session, long hour) throws SQLException {
        for (var subject : minutes(session, hour).entrySet()) {
            long id = subject.getKey();
            var minutes = PointTable.MINUTES.merge(session, hour, id, subject.getValue());
            var whole = whole(hour, minutes);
            var points = new TreeMap<>(Map.of(whole.at(), whole));
            PointTable.HOURS.merge(session, PointTable.HOURS.blockAt(whole.at()), id, points);
            SubjectRow.seen(session, id, hour);
        }
    }

    private static SortedMap<Long, SortedMap<Long, Point>> minutes(Session session, long hour)
            throws SQLException {
        var bySubject = new TreeMap<Long, SortedMap<Long, Point>>();
        long from = hour * MINUTES;
        try (var row = session.prepared(SECONDS).number(from).number(from + MINUTES).query()) {
            while (row.next()) {
                long number = row.number();
                long subject = row.number();
                var point = SampleBlob.read(ANYBODY, number, row.blob()).whole();
                bySubject.computeIfAbsent(subject, _ -> new TreeMap<>()).put(point.at(), point);
            }
        }
        return bySubject;
    }

    /** Exact, because sums of sums are. */
    static Point whole(long hour, SortedMap<Long, Point> minutes) {
        return minutes.values().stream()
                .reduce(Point::plus)
                .orElseThrow()
                .at(hour * MINUTES * MINUTES);
    }
}
