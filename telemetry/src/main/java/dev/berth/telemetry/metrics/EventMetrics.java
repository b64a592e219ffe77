package dev.berth.telemetry.metrics;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineState;
import dev.berth.port.EngineMeter;
import dev.berth.port.Event;
import dev.berth.port.event.AttemptPayload.AttemptEnded;
import dev.berth.port.event.AttemptPayload.AttemptScheduled;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.TaskPayload;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Counts events since the server started. Its methods do not block. */
public final class EventMetrics implements EngineMeter {

    /** How reasons of attempts begin that had started; any other reason is a failed launch. */
    private static final Set<String> AFTER_START =
            Set.of(new Ending.Vanished().error(), new Ending.MachineRestarted().error());

    private static final String NEVER_STARTED = new Ending.NeverStarted().error();

    final Histogram waitSeconds =
            new Histogram(
                    0.1, 0.5, 1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200,
                    86_400);
    final Histogram passSeconds =
            new Histogram(0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5);
    final Histogram commitSeconds =
            new Histogram(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10);
    final LabelCounters gpuTasks = new LabelCounters();
    final LabelCounters responses = new LabelCounters();
    final UserGpuTime userGpuTime = new UserGpuTime();

    private final Map<Class<?>, LongAdder> eventCounts =
            EventCodec.types().stream()
                    .collect(Collectors.toUnmodifiableMap(type -> type, _ -> new LongAdder()));
    private final LongAdder failedLaunches = new LongAdder();
    private final LongAdder machineFaults = new LongAdder();
    private volatile Supplier<Optional<EngineState>> state = Optional::empty;

    /**
     * Starts counting GPU time; call it before the first event.
     *
     * @param now running attempts count from here: an earlier server has reported the time before
     */
    public void begin(Supplier<EngineState> states, Instant now) {
        state = () -> Optional.of(states.get());
        states.get()
                .attempts()
                .values()
                .filter(attempt -> !attempt.claims().isEmpty())
                .forEach(attempt -> startGpuTime(attempt.id(), attempt.claims().size(), now));
    }

    private void startGpuTime(AttemptId attempt, int gpus, Instant since) {
        owner(attempt).ifPresent(owner -> userGpuTime.begin(attempt, owner, gpus, since));
    }

    private Optional<Owner> owner(AttemptId attempt) {
        return state.get()
                .flatMap(now -> now.tasks().get(attempt.task()))
                .map(task -> task.owner());
    }

    @Override
    public Stopwatch startTiming(TimedStep step) {
        var histogram =
                switch (step) {
                    case PASS -> passSeconds;
                    case COMMIT -> commitSeconds;
                };
        long began = System.nanoTime();
        return () -> histogram.add((System.nanoTime() - began) / 1e9);
    }

    @Override
    public void eventCommitted(Event event) {
        count(event.payload().getClass()).increment();
        if (event.payload() instanceof AttemptScheduled scheduled) {
            onStart(event, scheduled);
        } else if (event.payload() instanceof AttemptEnded ended) {
            onEnd(event, ended);
        }
    }

    private void onStart(Event event, AttemptScheduled scheduled) {
        waitSeconds.add(scheduled.waited().toMillis() / 1e3);
        var gpus = scheduled.gpus();
        if (gpus.isEmpty()) {
            return;
        }
        gpus.forEach(index -> gpuTasks.add(index.toString()));
        event.attempt().ifPresent(attempt -> startGpuTime(attempt, gpus.size(), event.at()));
    }

    private void onEnd(Event event, AttemptEnded ended) {
        ended.reason()
                .filter(reason -> AFTER_START.stream().noneMatch(reason::startsWith))
                .filter(reason -> !reason.equals(NEVER_STARTED))
                .ifPresent(
                        reason ->
                                (Ending.NotLaunched.isErrorOfOne(reason)
                                                ? machineFaults
                                                : failedLaunches)
                                        .increment());
        event.attempt().ifPresent(attempt -> userGpuTime.end(attempt, event.at()));
    }

    /** Counts an HTTP response. */
    public void onResponse(int status) {
        responses.add(Integer.toString(status));
    }

    long countOf(Class<? extends EventPayload> type) {
        return count(type).sum();
    }

    private LongAdder count(Class<?> type) {
        return Objects.requireNonNull(eventCounts.get(type));
    }

    long failedLaunches() {
        return failedLaunches.sum();
    }

    /** Attempts that the machine could not start. */
    long machineFaults() {
        return machineFaults.sum();
    }

    /** Other attempts that were queued again without a start, except those cancelled before it. */
    long neverStarted() {
        return Math.max(0, countOf(TaskPayload.TaskRequeued.class) - machineFaults());
    }
}
