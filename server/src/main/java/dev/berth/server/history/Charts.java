package dev.berth.server.history;

import dev.berth.engine.port.History;
import dev.berth.engine.port.History.Grain;
import dev.berth.engine.port.History.Point;
import dev.berth.engine.port.History.Span;
import dev.berth.engine.port.History.Subject;
import dev.berth.engine.port.Minute;
import dev.berth.engine.port.StoreFailure;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Histories to be drawn.
 *
 * @param fresh what of a subject is not kept yet
 */
public record Charts(History history, Function<Subject, List<Minute>> fresh) {

    /** Where nothing is kept. */
    public static final Charts NONE = new Charts(History.NONE, _ -> List.of());

    /** More than a screen is wide is of no use to anybody. */
    public static final int MOST_POINTS = 720;

    /** Seconds that people count in; each grain and each full day fall on one. */
    private static final long[] STEPS = {
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
        86_400, 172_800
    };

    /**
     * A subject's history.
     *
     * @param stepSeconds what each point stands for
     */
    public record Chart(Instant from, Instant to, long stepSeconds, List<Point> points) {
        public Chart {
            points = List.copyOf(points);
        }
    }

    /** As finely as it is still known and can be drawn. */
    public Chart of(Subject subject, Instant from, Instant to, Instant now) throws StoreFailure {
        var grain = Grain.of(Duration.between(from, now));
        var points = history.read(new Span(subject, grain, from, to), fresh.apply(subject));
        long step = step(Duration.between(from, to).toSeconds(), grain.seconds());
        return new Chart(from, to, step, step == grain.seconds() ? points : wider(points, step));
    }

    private static long step(long seconds, long least) {
        for (long step : STEPS) {
            if (step >= least && Math.ceilDiv(seconds, step) <= MOST_POINTS) {
                return step;
            }
        }
        return STEPS[STEPS.length - 1];
    }

    private static List<Point> wider(List<Point> points, long step) {
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
