package dev.berth.store;

import dev.berth.engine.port.History.Measure;
import dev.berth.engine.port.History.Point;
import dev.berth.engine.port.History.Total;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The points of an hour or a day: how many, then for each its place, and of each measure how many
 * samples, the step from the peak before, and by how much the sum falls short of all samples being
 * peaks. A steady card takes a byte each.
 */
final class PointBlob {

    /** More than any block has. */
    private static final int MOST_PLACES = 1000;

    private PointBlob() {}

    /**
     * @param points by where they begin, all within one block
     * @param from where the block begins
     */
    static byte[] of(SortedMap<Long, Point> points, long from, long step) {
        var packed = new Packed();
        packed.put(points.size());
        var peaks = new EnumMap<Measure, Long>(Measure.class);
        for (var point : points.values()) {
            packed.put((point.at() - from) / step);
            for (var measure : Measure.values()) {
                var total = point.of(measure);
                packed.put(total.count());
                if (total.isKnown()) {
                    packed.putSigned(total.peak() - peaks.getOrDefault(measure, 0L));
                    packed.put(total.peak() * total.count() - total.sum());
                    peaks.put(measure, total.peak());
                }
            }
        }
        return packed.toBytes();
    }

    static SortedMap<Long, Point> read(byte[] blob, long from, long step) throws SQLException {
        var points = new TreeMap<Long, Point>();
        var packed = new Packed(blob);
        var peaks = new EnumMap<Measure, Long>(Measure.class);
        int count = packed.next(blob.length);
        for (int i = 0; i < count; i++) {
            long at = from + packed.next(MOST_PLACES) * step;
            points.put(
                    at,
                    new Point(
                            at,
                            total(packed, Measure.MEMORY_MIB, peaks),
                            total(packed, Measure.PERCENT, peaks),
                            total(packed, Measure.CELSIUS, peaks)));
        }
        return points;
    }

    private static Total total(Packed packed, Measure measure, Map<Measure, Long> peaks)
            throws SQLException {
        long count = packed.next();
        if (count == 0) {
            return Total.NONE;
        }
        long peak = peaks.getOrDefault(measure, 0L) + packed.nextSigned();
        peaks.put(measure, peak);
        return new Total(count, peak * count - packed.next(), peak);
    }
}
