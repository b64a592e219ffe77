package dev.berth.server.api.why;

import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.task.Task;
import dev.berth.core.why.Explanation;
import dev.berth.engine.EngineState;
import dev.berth.http.RejectedException;
import dev.berth.server.api.EngineClient;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Explanations by the published state. All requests about one state share its plan, and those about
 * one task its explanation.
 */
final class Explanations {

    /** More tasks of one state are explained, but not kept. */
    private static final int MAX_KEPT = 1000;

    /** Delays and fair share depend on the time. */
    private static final Duration MAX_AGE = Duration.ofSeconds(1);

    private final EngineClient engine;
    private final PlanningLimit limit;
    private final Duration longestLimit;
    private volatile @Nullable OfState latest;

    /**
     * @param longestLimit the longest time limit that a task may have
     */
    Explanations(EngineClient engine, PlanningLimit limit, Duration longestLimit) {
        this.engine = engine;
        this.limit = limit;
        this.longestLimit = longestLimit;
    }

    /** What was explained of one state. */
    private record OfState(
            EngineState state, Explanation.Planned planned, Map<TaskId, Explanation> kept) {

        /** Every commit publishes another state, every change of the rules another planner. */
        @SuppressWarnings("ReferenceEquality")
        boolean isOf(EngineState published, Planner planner, Instant now) {
            return state == published
                    && planned.planner() == planner
                    && now.isBefore(planned.snapshot().at().plus(MAX_AGE));
        }
    }

    /** Explains a task that waits in its queue. */
    Explanation of(Task task) throws RejectedException {
        var known = current();
        var found = known == null ? null : known.kept().get(task.id());
        if (found != null) {
            return found;
        }
        try (var _ = limit.begin()) {
            var now = currentOrNew();
            var other = now.kept().get(task.id());
            if (other != null) {
                return other;
            }
            var explanation =
                    Explanation.of(now.planned(), task, now.state().tasks(), longestLimit);
            if (now.kept().size() < MAX_KEPT) {
                now.kept().put(task.id(), explanation);
            }
            return explanation;
        }
    }

    private @Nullable OfState current() {
        var known = latest;
        return known != null && known.isOf(engine.state(), engine.planner(), engine.now())
                ? known
                : null;
    }

    private OfState currentOrNew() {
        var known = current();
        if (known != null) {
            return known;
        }
        var state = engine.state();
        var planned = Explanation.Planned.of(engine.engine().forecastInput(engine.now()));
        var fresh = new OfState(state, planned, new ConcurrentHashMap<>());
        latest = fresh;
        return fresh;
    }
}
