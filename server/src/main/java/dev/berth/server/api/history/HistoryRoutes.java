package dev.berth.server.api.history;

import dev.berth.core.Rejected;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.json.IsoTime;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Subject;
import dev.berth.port.read.SampleHistory.Total;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.TimeWindow;
import dev.berth.server.api.gpu.GpuRoutes;
import dev.berth.telemetry.history.Charts;
import dev.berth.telemetry.history.Charts.Chart;
import dev.berth.wire.HistoryInfo;
import dev.berth.wire.HistoryPoint;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Usage of GPUs, and of tasks on their GPUs, over time. */
public final class HistoryRoutes {

    private static final Map<String, Duration> RANGES = ranges();

    private static final Param<String> RANGE =
            Param.choice(
                    "range", "how far back from now; 1h if unset", List.copyOf(RANGES.keySet()));
    private static final Param<Long> ATTEMPT =
            Param.number("attempt", "the number of the attempt; the latest if unset", 1, 1 << 30);

    private static final RouteDoc GPU_DOC =
            RouteDoc.of(
                            "The load of a GPU over time, in at most 720 points: by the second for"
                                    + " the last hour, by the minute for a week, by the hour for a"
                                    + " year")
                    .withQuery(RANGE, TimeWindow.FROM, TimeWindow.TO)
                    .withResponse(200, HistoryInfo.class)
                    .withErrors(404, 422);
    private static final Param<Long> SECONDS =
            Param.number("seconds", "how far back from now; 120 if unset", 1, 3600);
    private static final RouteDoc GPUS_DOC =
            RouteDoc.of("The load of all GPUs over the last minutes, a list entry for each GPU")
                    .withQuery(SECONDS)
                    .withListResponse(200, HistoryInfo.class)
                    .withErrors(422);
    private static final RouteDoc TASK_DOC =
            RouteDoc.of("The use of the GPUs by one attempt of a task, from start to end")
                    .withQuery(ATTEMPT)
                    .withResponse(200, HistoryInfo.class)
                    .withErrors(404, 422);
    private final EngineClient engine;
    private final TaskLookup lookup;
    private final Charts charts;

    public HistoryRoutes(EngineClient engine, TaskLookup lookup, Charts charts) {
        this.engine = engine;
        this.lookup = lookup;
        this.charts = charts;
    }

    private static Map<String, Duration> ranges() {
        var ranges = new LinkedHashMap<String, Duration>();
        ranges.put("1h", Duration.ofHours(1));
        ranges.put("6h", Duration.ofHours(6));
        ranges.put("24h", Duration.ofHours(24));
        ranges.put("7d", Duration.ofDays(7));
        ranges.put("30d", Duration.ofDays(30));
        ranges.put("1y", Duration.ofDays(365));
        return ranges;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/gpus/history"),
                        AccessLevel.SERVED,
                        GPUS_DOC,
                        this::recentHistory),
                Route.get(
                        PathPattern.of("/api/gpus/{id}/history", GpuRoutes.INDEX),
                        AccessLevel.SERVED,
                        GPU_DOC,
                        this::gpuHistory),
                Route.get(
                        PathPattern.of("/api/tasks/{id}/history", TaskLookup.ID),
                        AccessLevel.SERVED,
                        TASK_DOC,
                        this::taskHistory));
    }

    private RouteResponse gpuHistory(RouteRequest call) throws RejectedException, StoreFailure {
        var gpu = gpu(GpuRoutes.index(call));
        var now = engine.now();
        var range = call.query(RANGE);
        var usual = RANGES.getOrDefault(range.orElse("1h"), Duration.ofHours(1));
        var window = TimeWindow.read(call, now, usual, range.map(_ -> "range"));
        var chart = charts.chart(new Subject.OfGpu(gpu.id()), window.from(), window.to(), now);
        return RouteResponse.ok(info(chart, gpu.index(), gpu.totalMib()));
    }

    private RouteResponse recentHistory(RouteRequest call) throws RejectedException, StoreFailure {
        var now = engine.now();
        var from = now.minusSeconds(call.query(SECONDS).orElse(120L));
        var all = new ArrayList<HistoryInfo>();
        for (var state : engine.state().gpus().values().toList()) {
            var gpu = state.gpu();
            var chart = charts.chart(new Subject.OfGpu(gpu.id()), from, now, now);
            all.add(info(chart, gpu.index(), gpu.totalMib()));
        }
        return RouteResponse.ok(all);
    }

    private Gpu gpu(int index) throws RejectedException {
        return engine.state()
                .gpuAt(index)
                .map(GpuState::gpu)
                .orElseThrow(
                        () ->
                                new RejectedException(
                                        Rejected.notFound("card.unknown").with("gpu", index)));
    }

    private RouteResponse taskHistory(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        var now = engine.now();
        var _ = lookup.readable(id, call.caller());
        var attempt = attempt(id, call.query(ATTEMPT));
        if (attempt.isEmpty()) {
            return RouteResponse.ok(info(new Chart(now, now, 1, List.of()), null, null));
        }
        var one = attempt.get();
        var from = one.scheduledAt();
        var end = one.phase() instanceof Phase.Ended(_, _, var at) ? at : now;
        // A sample taken in the second of the end belongs to the attempt.
        var to = later(end.plusSeconds(1), from.plusSeconds(1));
        var chart = charts.chart(new Subject.OfAttempt(one.id()), from, to, now);
        var gpus = one.claims().stream().flatMap(claim -> known(claim.gpu()).stream()).toList();
        return RouteResponse.ok(
                info(
                        chart,
                        gpus.size() == 1 ? gpus.getFirst().index() : null,
                        gpus.isEmpty() ? null : gpus.stream().mapToLong(Gpu::totalMib).sum()));
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private Optional<Gpu> known(GpuId gpu) {
        return engine.state().gpus().get(gpu).map(GpuState::gpu);
    }

    /** Empty if the task has not started yet. */
    private Optional<Attempt> attempt(TaskId id, Optional<Long> number)
            throws RejectedException, StoreFailure {
        var latest = lookup.find(id).latest();
        if (number.isEmpty()) {
            return latest;
        }
        var found =
                lookup.queries().attempts(id).stream()
                        .filter(one -> one.id().number() == number.get())
                        .findFirst();
        if (found.isEmpty()) {
            throw new RejectedException(
                    Rejected.notFound("attempt.unknown")
                            .with("task", id)
                            .with("attempt", number.get()));
        }
        return found;
    }

    private static HistoryInfo info(
            Chart chart, @Nullable Integer gpu, @Nullable Long memoryTotalMb) {
        return new HistoryInfo(
                IsoTime.format(chart.from()),
                IsoTime.format(chart.to()),
                chart.stepSeconds(),
                chart.points().stream().map(HistoryRoutes::point).toList(),
                gpu,
                memoryTotalMb);
    }

    private static HistoryPoint point(Point point) {
        var memory = point.memoryMib();
        return new HistoryPoint(
                point.at(),
                memory.isKnown() ? Math.round(memory.mean()) : null,
                peak(memory),
                mean(point.percent()),
                peak(point.percent()),
                mean(point.celsius()),
                peak(point.celsius()));
    }

    private static @Nullable Double mean(Total total) {
        return total.isKnown() ? Math.round(total.mean() * 10) / 10.0 : null;
    }

    private static @Nullable Long peak(Total total) {
        return total.isKnown() ? total.peak() : null;
    }
}
