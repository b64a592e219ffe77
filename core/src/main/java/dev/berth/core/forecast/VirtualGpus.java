package dev.berth.core.forecast;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.model.WarmModels;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.Fleet;
import dev.berth.core.plan.HeldClaim;
import dev.berth.core.task.Claim;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The GPUs of a virtual run: what tasks claim, and what they leave behind in the readings. */
final class VirtualGpus {

    private PersistentMap<GpuId, GpuState> gpus;
    private PersistentMap<GpuId, List<HeldClaim>> holds;
    private PersistentMap<GpuId, List<AttemptId>> releasing;
    private PersistentMap<GpuId, Instant> releasedAt;
    private PersistentMap<GpuId, List<WarmWorker>> workers;
    private final Fleet first;

    VirtualGpus(Fleet first) {
        this.first = first;
        this.gpus = first.gpus();
        this.holds = first.holds();
        this.releasing = first.releasing();
        this.releasedAt = first.releasedAt();
        this.workers = first.warm().workers();
    }

    Fleet fleet() {
        return new Fleet(
                gpus,
                holds,
                releasing,
                releasedAt,
                first.loaded(),
                new WarmModels(workers, first.warm().setAside()));
    }

    int size() {
        return gpus.size();
    }

    /** The claims after a scheduling pass. */
    void setHolds(PersistentMap<GpuId, List<HeldClaim>> after) {
        holds = after;
    }

    /** A task that has started takes the memory that it claimed. */
    void start(AttemptId attempt, List<Claim> claims) {
        for (var claim : claims) {
            var state = gpus.get(claim.gpu());
            if (claim.memoryMib() == 0
                    || state.isEmpty()
                    || !(state.get() instanceof GpuState.Readable(var known, var reading))) {
                continue;
            }
            var process =
                    new GpuProcess(
                            0,
                            OptionalLong.of(claim.memoryMib()),
                            GpuProcess.Kind.COMPUTE,
                            "",
                            new ProcessOwner.BerthAttempt(attempt),
                            Optional.empty());
            var processes =
                    reading.processes()
                            .map(all -> Stream.concat(all.stream(), Stream.of(process)).toList());
            var after = reading.withMoreUsed(claim.memoryMib()).withProcesses(processes);
            gpus = gpus.with(known.id(), new GpuState.Readable(known, after));
        }
    }

    /** A worker of the model runs the call, so that no other task evicts it. */
    void call(AttemptId attempt, String model, List<Claim> claims, Instant at) {
        for (var claim : claims) {
            replaceWorkers(
                    claim.gpu(),
                    worker ->
                            worker.isIdle() && worker.model().equals(model)
                                    ? List.of(worker.with(attempt, at))
                                    : List.of(worker));
        }
    }

    void end(AttemptId attempt, List<Claim> claims, Instant at) {
        for (var claim : claims) {
            var gpu = claim.gpu();
            var left = new ArrayList<>(holds.get(gpu).orElse(List.of()));
            left.removeIf(hold -> hold.attempt().equals(attempt));
            holds = left.isEmpty() ? holds.without(gpu) : holds.with(gpu, List.copyOf(left));
            releasedAt = releasedAt.with(gpu, at);
            removeProcesses(gpu, attempt, claim.memoryMib(), left.isEmpty());
            replaceWorkers(
                    gpu,
                    worker ->
                            worker.call().filter(attempt::equals).isPresent()
                                    ? List.of(worker.withoutCall(at))
                                    : List.of(worker));
        }
    }

    /** Ends these workers; false if all of them are ending already. */
    boolean stop(List<WarmWorker> leaving) {
        boolean isNew = false;
        for (var worker : leaving) {
            isNew |= !worker.isStopping();
            replaceWorkers(
                    worker.gpu(),
                    one ->
                            List.of(
                                    one.id().equals(worker.id()) && !one.isStopping()
                                            ? one.with(WarmWorker.Status.STOPPING)
                                            : one));
        }
        return isNew;
    }

    /** Whether processes of tasks and workers that have ended may still be on a GPU. */
    boolean isSettling() {
        return !releasing.isEmpty()
                || workers.values().flatMap(List::stream).anyMatch(WarmWorker::isStopping)
                || gpus.values().anyMatch(state -> !leftover(state).isEmpty());
    }

    /** What was ending has left the GPUs. */
    void settle() {
        releasing = PersistentMap.empty();
        for (var entry : workers) {
            entry.getValue().stream()
                    .filter(WarmWorker::isStopping)
                    .forEach(worker -> removeWorker(entry.getKey(), worker));
        }
        for (var entry : gpus) {
            leftover(entry.getValue())
                    .forEach(attempt -> removeProcesses(entry.getKey(), attempt, 0, false));
        }
    }

    private void removeWorker(GpuId gpu, WarmWorker gone) {
        replaceWorkers(gpu, worker -> worker.id().equals(gone.id()) ? List.of() : List.of(worker));
        removeProcesses(gpu, gone.id(), gone.memoryMib(), false);
    }

    private interface Replacement {
        List<WarmWorker> of(WarmWorker worker);
    }

    private void replaceWorkers(GpuId gpu, Replacement replacement) {
        var there = workers.get(gpu);
        if (there.isEmpty()) {
            return;
        }
        var after = there.get().stream().flatMap(one -> replacement.of(one).stream()).toList();
        workers = after.isEmpty() ? workers.without(gpu) : workers.with(gpu, after);
    }

    /** Attempts that have processes on the GPU but neither a claim nor a worker. */
    private List<AttemptId> leftover(GpuState state) {
        var gpu = state.gpu().id();
        return state.currentReading().flatMap(GpuReading::processes).stream()
                .flatMap(List::stream)
                .map(GpuProcess::owner)
                .filter(ProcessOwner.BerthAttempt.class::isInstance)
                .map(owner -> ((ProcessOwner.BerthAttempt) owner).attempt())
                .filter(attempt -> !isHolder(gpu, attempt))
                .distinct()
                .toList();
    }

    private boolean isHolder(GpuId gpu, AttemptId attempt) {
        return holds.get(gpu).orElse(List.of()).stream()
                        .anyMatch(hold -> hold.attempt().equals(attempt))
                || workers.get(gpu).orElse(List.of()).stream()
                        .anyMatch(worker -> worker.id().equals(attempt));
    }

    /**
     * The reading without the processes of an attempt.
     *
     * @param claimedMib what it uses if the driver does not tell
     * @param isLast no other attempt has a claim on the GPU
     */
    private void removeProcesses(GpuId gpu, AttemptId attempt, long claimedMib, boolean isLast) {
        var state = gpus.get(gpu);
        if (state.isEmpty()
                || !(state.get() instanceof GpuState.Readable(var known, var reading))) {
            return;
        }
        long unreported = claimedMib == 0 && isLast ? Long.MAX_VALUE : claimedMib;
        var after = reading.without(List.of(attempt), unreported);
        gpus = gpus.with(gpu, new GpuState.Readable(known, after));
    }
}
