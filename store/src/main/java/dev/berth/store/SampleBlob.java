package dev.berth.store;

import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory.Measure;
import dev.berth.port.read.SampleHistory.Subject;

import java.sql.SQLException;

/**
 * The encoded samples of a minute: the first second, the number of seconds, then for each measure
 * one number per second: 0 for no sample, else the zigzag-encoded difference to the previous value
 * plus 1.
 */
final class SampleBlob {

    private SampleBlob() {}

    static byte[] of(MinuteSamples minute) {
        int first = 0;
        while (first < MinuteSamples.SECONDS && !minute.has(first)) {
            first++;
        }
        int end = MinuteSamples.SECONDS;
        while (end > first && !minute.has(end - 1)) {
            end--;
        }
        var packed = new VarIntBuffer();
        packed.write(first);
        packed.write(end - first);
        for (var measure : Measure.values()) {
            long previous = 0;
            for (int second = first; second < end; second++) {
                var value = minute.get(second, measure);
                if (value.isEmpty()) {
                    packed.write(0);
                } else {
                    long step = value.getAsInt() - previous;
                    packed.write((step << 1 ^ step >> 63) + 1);
                    previous = value.getAsInt();
                }
            }
        }
        return packed.toBytes();
    }

    static MinuteSamples read(Subject subject, long number, byte[] blob) throws SQLException {
        var packed = new VarIntBuffer(blob);
        int first = packed.read(MinuteSamples.SECONDS);
        int end = first + packed.read(MinuteSamples.SECONDS - first);
        var minute = new MinuteSamples(subject, number);
        for (var measure : Measure.values()) {
            long value = 0;
            for (int second = first; second < end; second++) {
                long code = packed.read();
                if (code != 0) {
                    long step = code - 1;
                    value += step >>> 1 ^ -(step & 1);
                    minute.put(second, measure, value);
                }
            }
        }
        return minute;
    }
}
