package dev.berth.core.plan;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.lane.LaneAccess;
import dev.berth.core.model.WarmModels;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.reserve.ReservationWindow;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A GPU during a scheduling pass.
 *
 * @param releasing attempts that ended, but no later reading has shown yet that their processes are
 *     gone
 * @param releasedAt when a task last released it; empty if unknown
 * @param loadedModels the models on it
 * @param reservedFor the waiting task that keeps this GPU for itself
 * @param warm the workers of all GPUs
 * @param windows of the reservations that keep it
 */
public record GpuView(
        GpuState state,
        List<HeldClaim> holds,
        List<AttemptId> releasing,
        Optional<Instant> releasedAt,
        List<String> loadedModels,
        LaneAccess laneAccess,
        Optional<HeadReservation> reservedFor,
        WarmModels warm,
        List<ReservationWindow> windows) {

    /** Idle time of a GPU that has not been released yet; longer than any score considers. */
    private static final Duration LONG_IDLE = Duration.ofDays(1);

    /** Without history, models, lane restrictions and reservation. */
    public GpuView(GpuState state, List<HeldClaim> holds, List<AttemptId> leaving) {
        this(
                state,
                holds,
                leaving,
                Optional.empty(),
                List.of(),
                LaneAccess.ALLOWED,
                Optional.empty(),
                WarmModels.NONE,
                List.of());
    }

    /** The same with another state. */
    public GpuView with(GpuState other) {
        return new GpuView(
                other,
                holds,
                releasing,
                releasedAt,
                loadedModels,
                laneAccess,
                reservedFor,
                warm,
                windows);
    }

    /** The same with these workers. */
    public GpuView with(WarmModels other) {
        return new GpuView(
                state,
                holds,
                releasing,
                releasedAt,
                loadedModels,
                laneAccess,
                reservedFor,
                other,
                windows);
    }

    /** The same with these claims. */
    GpuView withHolds(List<HeldClaim> others) {
        return new GpuView(
                state,
                List.copyOf(others),
                releasing,
                releasedAt,
                loadedModels,
                laneAccess,
                reservedFor,
                warm,
                windows);
    }

    static GpuView unheld(GpuState state) {
        return new GpuView(state, List.of(), List.of());
    }

    /** Empty also if the driver does not list the processes. */
    List<GpuProcess> processes() {
        return state instanceof GpuState.Readable(_, var reading)
                ? reading.processes().orElse(List.of())
                : List.of();
    }

    /** The driver does not list the processes. */
    boolean processesUnknown() {
        return reading().flatMap(GpuReading::processes).isEmpty();
    }

    /** The workers on this GPU. */
    public List<WarmWorker> workers() {
        return warm.on(state.gpu().id());
    }

    private Optional<GpuReading> reading() {
        return state.currentReading();
    }

    /** As reported; 0 if not reported. */
    long freeMib() {
        return reading().map(reading -> reading.freeMib().orElse(0)).orElse(0L);
    }

    OptionalInt temperatureC() {
        return reading().map(GpuReading::temperatureC).orElse(OptionalInt.empty());
    }

    OptionalInt utilizationPercent() {
        return reading().map(GpuReading::utilizationPercent).orElse(OptionalInt.empty());
    }

    OptionalInt meanUtilizationPercent() {
        return reading().map(GpuReading::meanUtilizationPercent).orElse(OptionalInt.empty());
    }

    /**
     * No attempt holds it, no process computes on it, and memory use is below the threshold, apart
     * from workers without work.
     */
    boolean isIdle(int thresholdPercent) {
        return holds.isEmpty()
                && releasing.isEmpty()
                && processes().stream()
                        .filter(process -> !isOfWorker(process))
                        .noneMatch(process -> process.kind() == GpuProcess.Kind.COMPUTE)
                && reading().stream()
                        .anyMatch(
                                reading ->
                                        reading.usedMib().isPresent()
                                                && (reading.usedMib().getAsLong()
                                                                        - Eviction.freeableMib(
                                                                                this))
                                                                * 100
                                                        < state.gpu().totalMib()
                                                                * thresholdPercent);
    }

    boolean isOfWorker(GpuProcess process) {
        return workers().stream().anyMatch(worker -> Eviction.isOf(process, worker));
    }

    boolean hasLoaded(Optional<String> model) {
        return model.isPresent() && loadedModels.contains(model.get());
    }

    /** How long no attempt has held it. */
    Duration idleTime(Instant now) {
        return holds.isEmpty()
                ? releasedAt.map(since -> Duration.between(since, now)).orElse(LONG_IDLE)
                : Duration.ZERO;
    }
}
