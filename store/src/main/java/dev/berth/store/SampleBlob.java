package dev.berth.store;

import dev.berth.engine.port.History.Measure;
import dev.berth.engine.port.History.Subject;
import dev.berth.engine.port.Minute;

import java.sql.SQLException;

/**
 * A minute's samples: the first second, how many places, then measure by measure each place: 0 for
 * nothing, else one more than the step from the value before.
 */
final class SampleBlob {

    private SampleBlob() {}

    static byte[] of(Minute minute) {
        int first = 0;
        while (first < Minute.SECONDS && !minute.has(first)) {
            first++;
        }
        int end = Minute.SECONDS;
        while (end > first && !minute.has(end - 1)) {
            end--;
        }
        var packed = new Packed();
        packed.put(first);
        packed.put(end - first);
        for (var measure : Measure.values()) {
            long before = 0;
            for (int second = first; second < end; second++) {
                var value = minute.get(second, measure);
                if (value.isEmpty()) {
                    packed.put(0);
                } else {
                    long step = value.getAsInt() - before;
                    packed.put((step << 1 ^ step >> 63) + 1);
                    before = value.getAsInt();
                }
            }
        }
        return packed.toBytes();
    }

    static Minute read(Subject subject, long number, byte[] blob) throws SQLException {
        var packed = new Packed(blob);
        int first = packed.next(Minute.SECONDS);
        int end = first + packed.next(Minute.SECONDS - first);
        var minute = new Minute(subject, number);
        for (var measure : Measure.values()) {
            long value = 0;
            for (int second = first; second < end; second++) {
                long place = packed.next();
                if (place != 0) {
                    long step = place - 1;
                    value += step >>> 1 ^ -(step & 1);
                    minute.put(second, measure, value);
                }
            }
        }
        return minute;
    }
}
