package dev.berth.telemetry.history;

import dev.berth.port.StoreFailure;
import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory;
import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Resolution;
import dev.berth.port.read.SampleHistory.Span;
import dev.berth.port.read.SampleHistory.Subject;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reads histories as charts.
 *
 * @param unstored samples of a subject that are not stored yet
 */
public record Charts(SampleHistory history, Function<Subject, List<MinuteSamples>> unstored) {

    /** If no history is stored. */
    public static final Charts NONE = new Charts(SampleHistory.NONE, _ -> List.of());

    /** More points than a screen is wide are useless. */
    public static final int MAX_POINTS = 720;

    /** Steps in seconds; multiples of each grain, and a divisor or multiple of a day. */
    private static final long[] STEPS = {
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
        86_400, 172_800
    };

    /**
     * The history of a subject.
     *
     * @param stepSeconds the duration of one point
     */
    public record Chart(Instant from, Instant to, long stepSeconds, List<Point> points) {
        public Chart {
            points = List.copyOf(points);
        }
    }

    /** With the finest resolution that is still stored and can be drawn. */
    public Chart chart(Subject subject, Instant from, Instant to, Instant now) throws StoreFailure {
        var grain = Resolution.of(Duration.between(from, now));
        var points = history.read(new Span(subject, grain, from, to), unstored.apply(subject));
        long step = stepFor(Duration.between(from, to).toSeconds(), grain.seconds());
        return new Chart(from, to, step, step == grain.seconds() ? points : merge(points, step));
    }

    private static long stepFor(long seconds, long least) {
        for (long step : STEPS) {
            if (step >= least && Math.ceilDiv(seconds, step) <= MAX_POINTS) {
                return step;
            }
        }
        return STEPS[STEPS.length - 1];
    }

    private static List<Point> merge(List<Point> points, long step) {
        var wider = new ArrayList<Point>();
        for (var point : points) {
            long at = Math.floorDiv(point.at(), step) * step;
            if (!wider.isEmpty() && wider.getLast().at() == at) {
                wider.add(wider.removeLast().plus(point));
            } else {
                wider.add(point.at(at));
            }
        }
        return wider;
    }
}
