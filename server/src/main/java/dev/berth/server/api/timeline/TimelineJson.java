package dev.berth.server.api.timeline;

import dev.berth.core.forecast.Forecast;
import dev.berth.core.forecast.TimeRange;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.plan.PromisedStart;
import dev.berth.core.plan.ReservationPlan;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.engine.EngineState;
import dev.berth.json.IsoTime;
import dev.berth.port.read.GpuRun;
import dev.berth.server.api.ExpectedTimesJson;
import dev.berth.server.api.TimeWindow;
import dev.berth.wire.Timeline;
import dev.berth.wire.Timeline.TimelineGpu;
import dev.berth.wire.Timeline.TimelineReservation;
import dev.berth.wire.Timeline.TimelineRun;
import dev.berth.wire.Timeline.TimelineWindow;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Collects the runs of a period and converts them to JSON. */
final class TimelineJson {

    private static final int MAX_RUNS = 5000;

    /** How many tasks that wait for a retry or were retried show their earlier attempts. */
    private static final int MAX_RETRIED = 100;

    /** Of one reservation. */
    private static final int MAX_WINDOWS = 10;

    private final EngineState state;
    private final TimeWindow window;
    private final List<TimelineRun> runs = new ArrayList<>();
    private boolean isTruncated;
    private @Nullable TimelineReservation reservation;
    private final List<TimelineWindow> windows = new ArrayList<>();

    TimelineJson(EngineState state, TimeWindow window) {
        this.state = state;
        this.window = window;
    }

    int room() {
        return MAX_RUNS - runs.size();
    }

    void addRunning(Forecast forecast) {
        for (var running : state.runningTasks()) {
            var attempt = running.attempt();
            var end = forecast.end(running.task().id());
            // Without a known end it runs on.
            boolean isInWindow =
                    attempt.scheduledAt().isBefore(window.to())
                            && end.map(TimeRange::expected)
                                    .map(window.from()::isBefore)
                                    .orElse(true);
            if (isInWindow) {
                add(running.task(), gpus(attempt), attempt.scheduledAt(), end, false);
            }
        }
    }

    void addExpected(Forecast forecast) {
        reservation = forecast.promise().flatMap(this::reservation).orElse(null);
        forecast.waiting()
                .forEach(
                        (id, run) -> {
                            // It may have started or ended since the forecast.
                            var task = state.tasks().get(id).filter(one -> one.state().isWaiting());
                            var start = run.start().expected();
                            if (task.isPresent() && start.isBefore(window.to())) {
                                add(task.get(), run.gpus(), start, run.end(), true);
                            }
                        });
    }

    private Optional<TimelineReservation> reservation(PromisedStart promise) {
        return promise.at()
                .map(
                        start ->
                                new TimelineReservation(
                                        promise.head().id().value(),
                                        indices(promise.gpus()),
                                        IsoTime.format(start)));
    }

    /**
     * @param plan which GPUs are kept at the moment
     */
    void addReservations(ReservationPlan plan) {
        for (var one : state.durable().reservations().values().toList()) {
            var next = one.windowAt(window.from());
            for (int i = 0; i < MAX_WINDOWS && next.isPresent(); i++) {
                var span = next.get().span();
                if (!span.begin().isBefore(window.to())) {
                    break;
                }
                windows.add(json(next.get(), plan));
                next = one.windowAt(span.end());
            }
        }
    }

    private TimelineWindow json(ReservationWindow one, ReservationPlan plan) {
        var holder = one.reservation().holder();
        var kept = new ArrayList<GpuId>();
        for (var entry : plan.byGpu()) {
            boolean isKept =
                    entry.getValue().stream()
                            .anyMatch(
                                    other ->
                                            other.id() == one.id()
                                                    && other.span().equals(one.span()));
            if (isKept) {
                kept.add(entry.getKey());
            }
        }
        return new TimelineWindow(
                one.id(),
                holder instanceof ReservationHolder.ForUser(var user) ? user : null,
                holder instanceof ReservationHolder.ForGroup(var group) ? group : null,
                one.reservation().gpus().count(),
                one.reservation().gpus() instanceof ReservedGpus.NamedGpus(var devices)
                        ? List.copyOf(devices.indices())
                        : indices(kept),
                IsoTime.format(one.span().begin()),
                IsoTime.format(one.span().end()));
    }

    private void add(
            Task task,
            List<GpuId> gpus,
            Instant start,
            Optional<TimeRange> end,
            boolean isPredicted) {
        if (gpus.isEmpty()) {
            return;
        }
        if (room() <= 0) {
            isTruncated = true;
            return;
        }
        runs.add(
                new TimelineRun(
                        task.id().value(),
                        task.spec().name(),
                        task.owner().name(),
                        task.state().apiName(),
                        indices(gpus),
                        IsoTime.format(start),
                        ExpectedTimesJson.expected(end),
                        isPredicted,
                        ExpectedTimesJson.latest(end)));
    }

    void addPast(List<GpuRun> past) {
        past.forEach(this::add);
    }

    private void add(GpuRun run) {
        if (room() <= 0) {
            isTruncated = true;
            return;
        }
        runs.add(
                new TimelineRun(
                        run.attempt().task().value(),
                        run.name(),
                        run.owner(),
                        run.status(),
                        indices(run.gpus()),
                        IsoTime.format(run.start()),
                        IsoTime.format(run.end()),
                        false,
                        null));
    }

    /** Live tasks whose earlier attempts have ended. */
    List<Task> retried() {
        return state.tasks()
                .values()
                .filter(
                        task ->
                                !task.spec().isWorker()
                                        && task.attempts()
                                                > (task.state() instanceof TaskState.Running
                                                        ? 1
                                                        : 0))
                .limit(MAX_RETRIED)
                .toList();
    }

    void addAttempts(Task task, List<Attempt> attempts) {
        for (var attempt : attempts) {
            if (attempt.phase() instanceof Phase.Ended(_, _, var end)
                    && !attempt.claims().isEmpty()
                    && attempt.scheduledAt().isBefore(window.to())
                    && end.isAfter(window.from())) {
                add(
                        new GpuRun(
                                attempt.id(),
                                task.spec().name(),
                                task.owner().name(),
                                "failed",
                                gpus(attempt),
                                attempt.scheduledAt(),
                                end));
            }
        }
    }

    private static List<GpuId> gpus(Attempt attempt) {
        return attempt.claims().stream().map(Claim::gpu).toList();
    }

    private List<Integer> indices(List<GpuId> gpus) {
        return gpus.stream()
                .flatMap(id -> state.gpus().get(id).stream())
                .map(known -> known.gpu().index())
                .sorted()
                .toList();
    }

    Timeline json(Instant now) {
        runs.sort(Comparator.comparing(TimelineRun::start).thenComparing(TimelineRun::taskId));
        return new Timeline(
                IsoTime.format(window.from()),
                IsoTime.format(window.to()),
                IsoTime.format(now),
                state.gpus()
                        .values()
                        .map(GpuState::gpu)
                        .sorted(Comparator.comparingInt(Gpu::index))
                        .map(gpu -> new TimelineGpu(gpu.index(), gpu.id().uuid(), gpu.model()))
                        .toList(),
                List.copyOf(runs),
                isTruncated,
                reservation,
                List.copyOf(windows));
    }
}
