package dev.berth.store;

import dev.berth.port.read.SampleHistory.Measure;
import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Total;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The encoded points of an hour or a day: their count, then for each point its offset in the block
 * and per measure the number of samples, the difference to the previous peak, and the difference
 * between peak times samples and the sum. If a GPU's values are constant, each takes one byte.
 */
final class PointBlob {

    /** More points than any block has. */
    private static final int MAX_OFFSET = 1000;

    private PointBlob() {}

    /**
     * @param points by the second at which they begin, all within one block
     * @param from the second at which the block begins
     */
    static byte[] of(SortedMap<Long, Point> points, long from, long step) {
        var packed = new VarIntBuffer();
        packed.write(points.size());
        var peaks = new EnumMap<Measure, Long>(Measure.class);
        for (var point : points.values()) {
            packed.write((point.at() - from) / step);
            for (var measure : Measure.values()) {
                var total = point.of(measure);
                packed.write(total.count());
                if (total.isKnown()) {
                    packed.writeSigned(total.peak() - peaks.getOrDefault(measure, 0L));
                    packed.write(total.peak() * total.count() - total.sum());
                    peaks.put(measure, total.peak());
                }
            }
        }
        return packed.toBytes();
    }

    static SortedMap<Long, Point> read(byte[] blob, long from, long step) throws SQLException {
        var points = new TreeMap<Long, Point>();
        var packed = new VarIntBuffer(blob);
        var peaks = new EnumMap<Measure, Long>(Measure.class);
        int count = packed.read(blob.length);
        for (int i = 0; i < count; i++) {
            long at = from + packed.read(MAX_OFFSET) * step;
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

    private static Total total(VarIntBuffer packed, Measure measure, Map<Measure, Long> peaks)
            throws SQLException {
        long count = packed.read();
        if (count == 0) {
            return Total.NONE;
        }
        long peak = peaks.getOrDefault(measure, 0L) + packed.readSigned();
        peaks.put(measure, peak);
        return new Total(count, peak * count - packed.read(), peak);
    }
}
