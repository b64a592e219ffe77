package dev.berth.server.api.gpu;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.model.WarmModels;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.GpuView;
import dev.berth.core.plan.Headroom;
import dev.berth.core.plan.HeldClaim;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.ReservationPlan;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.ShimProcess;
import dev.berth.engine.EngineState;
import dev.berth.json.IsoTime;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.GpuInfo;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Converts GPUs to JSON. */
public final class GpuJson {

    private static final GpuReading NO_READING =
            new GpuReading(
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    Optional.empty());

    /** A task that any GPU would suit. */
    private static final Shape ANY = Shape.of(Need.gpus(1), Optional.empty());

    private final EngineClient engine;

    public GpuJson(EngineClient engine) {
        this.engine = engine;
    }

    /**
     * What all GPUs of one response have in common: a node may have a thousand.
     *
     * @param gpus as a scheduling pass sees them
     * @param ignoringPool a GPU's status must not depend on whether it is in Berth's pool
     * @param plan empty if there is no reservation
     * @param isInCluster a cluster decides about the GPUs and does not say how much memory is used
     */
    private record Moment(
            EngineState state,
            Instant at,
            PersistentMap<GpuId, GpuState> gpus,
            WarmModels warm,
            Planner planner,
            Planner ignoringPool,
            Optional<ReservationPlan> plan,
            boolean isInCluster) {

        boolean isFree(GpuView view) {
            return isInCluster ? isUnused(view) : planner.refusal(ANY, view, false).isEmpty();
        }

        /** What a status is derived from. */
        Optional<Refusal> refusal(GpuView view) {
            return isInCluster ? Optional.empty() : ignoringPool.refusal(ANY, view, false);
        }

        private static boolean isUnused(GpuView view) {
            return view.state() instanceof GpuState.Readable
                    && view.holds().isEmpty()
                    && view.state()
                            .currentReading()
                            .flatMap(GpuReading::processes)
                            .orElse(List.of())
                            .isEmpty();
        }
    }

    private Moment now() {
        var state = engine.state();
        var at = engine.now();
        var planner = engine.planner();
        var rules = planner.rules();
        return new Moment(
                state,
                at,
                state.schedulableGpus(),
                state.sinceStart().workers().warm(at),
                planner,
                new Planner(
                        new SchedulingRules(
                                rules.memoryThresholdPercent(), rules.foreign(), GpuPool.ALL)),
                reservations(state, planner),
                engine.engine().snapshot(at).cluster().isPresent());
    }

    /**
     * All GPUs ever seen, by node and index.
     *
     * @param withProcesses include the processes on each GPU
     */
    public List<GpuInfo> all(boolean withProcesses) {
        var now = now();
        return now.state()
                .gpus()
                .values()
                .sorted(
                        Comparator.comparing((GpuState one) -> one.gpu().id().node())
                                .thenComparingInt(one -> one.gpu().index())
                                .thenComparing(one -> one.gpu().id()))
                .map(one -> info(one, now, withProcesses))
                .toList();
    }

    /** The GPU that has this index now. */
    GpuInfo at(int index) {
        var now = now();
        return info(now.state().gpuAt(index).orElseThrow(), now, true);
    }

    /** Without reservations the snapshot is not needed. */
    private Optional<ReservationPlan> reservations(EngineState state, Planner planner) {
        return state.durable().reservations().isEmpty()
                ? Optional.empty()
                : Optional.of(planner.reservations(engine.snapshot()));
    }

    private static List<GpuInfo.Reserved> reserved(Gpu gpu, Optional<ReservationPlan> plan) {
        return plan.map(reservations -> reservations.on(gpu.id())).orElse(List.of()).stream()
                .map(GpuJson::json)
                .toList();
    }

    private static GpuInfo.Reserved json(ReservationWindow window) {
        var holder = window.reservation().holder();
        return new GpuInfo.Reserved(
                window.id(),
                holder instanceof ReservationHolder.ForUser(var user) ? user : null,
                holder instanceof ReservationHolder.ForGroup(var group) ? group : null,
                window.isActive(),
                IsoTime.format(window.span().begin()),
                IsoTime.format(window.span().end()));
    }

    private static GpuInfo info(GpuState one, Moment now, boolean withProcesses) {
        var gpu = one.gpu();
        var state = now.state();
        var reading = one.currentReading().orElse(NO_READING);
        var holds = state.holds().get(gpu.id()).orElse(List.of());
        var holders = holders(holds, state);
        var spot = spot(now.gpus().get(gpu.id()).orElse(one), now);
        var refusal = now.refusal(spot);
        return new GpuInfo(
                identity(gpu),
                new GpuInfo.Memory(
                        gpu.totalMib(), boxed(reading.usedMib()), boxed(reading.freeMib())),
                boxed(reading.utilizationPercent()),
                tasks(holders),
                now.isFree(spot),
                now.isInCluster() ? clusterStatus(spot) : status(spot, refusal),
                json(reading, gpu),
                loaded(gpu.id(), now),
                boxed(Headroom.mib(reading, holds)),
                boxed(reading.meanUtilizationPercent()),
                why(spot, refusal),
                releasedAt(gpu, state),
                withProcesses ? processes(reading, state) : null,
                holders,
                state.durable().faults().get(gpu.id()).map(GpuJson::json).orElse(null),
                reserved(gpu, now.plan()));
    }

    private static GpuInfo.Identity identity(Gpu gpu) {
        return new GpuInfo.Identity(
                gpu.index(), gpu.index(), gpu.id().node(), gpu.id().uuid(), gpu.model());
    }

    private static GpuInfo.Tasks tasks(List<GpuInfo.Holder> holders) {
        var ids = holders.stream().map(GpuInfo.Holder::taskId).distinct().sorted().toList();
        var first = ids.stream().findFirst().orElse(null);
        return new GpuInfo.Tasks(first, first, ids);
    }

    private static GpuInfo.Reading json(GpuReading reading, Gpu gpu) {
        return new GpuInfo.Reading(
                gpu.totalMib(),
                boxed(reading.usedMib()),
                boxed(reading.freeMib()),
                boxed(reading.utilizationPercent()),
                boxed(reading.temperatureC()));
    }

    private static @Nullable String releasedAt(Gpu gpu, EngineState state) {
        return state.sinceStart()
                .gpuReleases()
                .releasedAt()
                .get(gpu.id())
                .map(IsoTime::format)
                .orElse(null);
    }

    private static GpuInfo.Fault json(GpuFault fault) {
        return new GpuInfo.Fault(
                fault.kind().code(),
                fault.reason(),
                IsoTime.format(fault.since()),
                fault.stage().name().toLowerCase(Locale.ROOT));
    }

    /** An unreadable GPU is not free, even if no task holds it. */
    private static String status(GpuView spot, Optional<Refusal> refusal) {
        return switch (spot.state()) {
            case GpuState.Failed _, GpuState.Quarantined _ -> "error";
            case GpuState.Unknown _ -> "unknown";
            case GpuState.Readable _ ->
                    refusal.map(why -> why instanceof Refusal.Unreadable ? "unknown" : "busy")
                            .orElse("free");
        };
    }

    private static String clusterStatus(GpuView spot) {
        return spot.state() instanceof GpuState.Readable
                ? Moment.isUnused(spot) ? "free" : "busy"
                : status(spot, Optional.empty());
    }

    private static GpuView spot(GpuState one, Moment now) {
        var gpu = one.gpu().id();
        var state = now.state();
        return new GpuView(
                        one,
                        state.holds().get(gpu).orElse(List.of()),
                        state.sinceStart().gpuReleases().leaving().get(gpu).orElse(List.of()))
                .with(now.warm());
    }

    private static List<String> loaded(GpuId gpu, Moment now) {
        var releases = now.state().sinceStart().gpuReleases();
        var uses = releases.recentModels().get(gpu).orElse(List.of());
        var workers = now.warm().workers().get(gpu).orElse(List.of());
        if (uses.isEmpty() && workers.isEmpty()) {
            return List.of();
        }
        return Stream.concat(
                        now.planner().rules().modelCache().loaded(uses, now.at()).stream(),
                        workers.stream()
                                .filter(worker -> !worker.isStopping())
                                .sorted(Comparator.comparing(WarmWorker::lastUsed))
                                .map(WarmWorker::model))
                .distinct()
                .toList();
    }

    private static @Nullable String why(GpuView spot, Optional<Refusal> refusal) {
        return spot.state().unreadable().orElseGet(() -> refusedReading(refusal));
    }

    /** The reading lacks a value that scheduling needs. */
    private static @Nullable String refusedReading(Optional<Refusal> refusal) {
        return refusal.orElse(null) instanceof Refusal.Unreadable(String why) ? why : null;
    }

    private static List<GpuInfo.Holder> holders(List<HeldClaim> holds, EngineState state) {
        return holds.stream()
                .map(
                        hold -> {
                            var attempt = state.attempts().get(hold.attempt()).orElseThrow();
                            var task = state.tasks().get(hold.attempt().task()).orElseThrow();
                            var since =
                                    attempt.phase()
                                            .shimProcess()
                                            .map(ShimProcess::startedAt)
                                            .orElse(attempt.scheduledAt());
                            return new GpuInfo.Holder(
                                    task.id().value(),
                                    task.spec().name(),
                                    task.owner().name(),
                                    IsoTime.format(since));
                        })
                .toList();
    }

    private static @Nullable List<GpuInfo.Process> processes(
            GpuReading reading, EngineState state) {
        return reading.processes()
                .map(all -> all.stream().map(one -> process(one, state)).toList())
                .orElse(null);
    }

    private static GpuInfo.Process process(GpuProcess one, EngineState state) {
        var user =
                switch (one.owner()) {
                    case ProcessOwner.HostUser(String name, _) -> name;
                    case ProcessOwner.BerthAttempt(var attempt) ->
                            state.tasks()
                                    .get(attempt.task())
                                    .map(task -> task.owner().name())
                                    .orElse(null);
                    case ProcessOwner.Unknown _ -> null;
                };
        var task =
                one.owner() instanceof ProcessOwner.BerthAttempt(var attempt)
                        ? (Long) attempt.task().value()
                        : null;
        return new GpuInfo.Process(
                one.pid(),
                user,
                one.program(),
                boxed(one.usedMib()),
                one.kind().name().toLowerCase(Locale.ROOT),
                one.startedAt().map(IsoTime::format).orElse(null),
                task,
                task == null);
    }

    private static @Nullable Long boxed(OptionalLong value) {
        return value.isPresent() ? (Long) value.getAsLong() : null;
    }

    private static @Nullable Integer boxed(OptionalInt value) {
        return value.isPresent() ? (Integer) value.getAsInt() : null;
    }
}
