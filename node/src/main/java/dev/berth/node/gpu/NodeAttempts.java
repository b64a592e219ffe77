package dev.berth.node.gpu;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.model.WarmModels;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.GpuView;
import dev.berth.core.plan.HeldClaim;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;

/** The attempts on this node now, with their claims. */
final class NodeAttempts {

    private final SortedMap<AttemptId, NodeAttempt> attempts = new ConcurrentSkipListMap<>();

    /** The attempts that claim a GPU, by its UUID. */
    private final Map<String, Set<AttemptId>> claimants = new ConcurrentHashMap<>();

    /** Attempts that have ended, until a reading shows that they are off their GPUs. */
    private final SortedMap<AttemptId, NodeAttempt> leaving = new ConcurrentSkipListMap<>();

    /** The workers that run tasks now, by the attempt of the task. */
    private final SortedMap<AttemptId, AttemptId> calls = new ConcurrentSkipListMap<>();

    /**
     * @param shim the first process of the attempt, once it runs
     */
    record NodeAttempt(
            AttemptId attempt,
            List<Claim> claims,
            Instant since,
            Optional<ProcessKey> shim,
            boolean isWorker) {

        Optional<Claim> claimOn(String uuid) {
            return claims.stream().filter(claim -> claim.gpu().uuid().equals(uuid)).findFirst();
        }
    }

    void assign(Attempt attempt) {
        var process = attempt.phase().shimProcess();
        attempts.put(
                attempt.id(),
                new NodeAttempt(
                        attempt.id(),
                        attempt.claims(),
                        process.map(ShimProcess::startedAt).orElse(attempt.scheduledAt()),
                        process.map(ShimProcess::key),
                        attempt.isWorker()));
        for (var claim : attempt.claims()) {
            claimants
                    .computeIfAbsent(claim.gpu().uuid(), _ -> new ConcurrentSkipListSet<>())
                    .add(attempt.id());
        }
    }

    void started(AttemptId attempt, ShimProcess run) {
        attempts.computeIfPresent(
                attempt,
                (id, holder) ->
                        new NodeAttempt(
                                id,
                                holder.claims(),
                                run.startedAt(),
                                Optional.of(run.key()),
                                holder.isWorker()));
    }

    /** It may still be on its GPUs until {@link #left}. */
    Optional<NodeAttempt> remove(AttemptId attempt) {
        var removed = Optional.ofNullable(attempts.remove(attempt));
        removed.filter(one -> !one.claims().isEmpty()).ifPresent(one -> leaving.put(attempt, one));
        removed.stream()
                .flatMap(one -> one.claims().stream())
                .map(claim -> claimants.get(claim.gpu().uuid()))
                .forEach(those -> those.remove(attempt));
        return removed;
    }

    void left(AttemptId attempt) {
        leaving.remove(attempt);
    }

    /** The attempts that claim this GPU, or may still be on it. */
    List<NodeAttempt> on(String uuid) {
        return Stream.concat(
                        claiming(uuid).stream(),
                        leaving.values().stream().filter(one -> one.claimOn(uuid).isPresent()))
                .toList();
    }

    /** The attempts that claim this GPU. */
    List<NodeAttempt> claiming(String uuid) {
        return claimants(uuid).stream().map(this::find).flatMap(Optional::stream).toList();
    }

    private Set<AttemptId> claimants(String uuid) {
        return claimants.getOrDefault(uuid, Set.of());
    }

    Optional<NodeAttempt> find(AttemptId attempt) {
        return Optional.ofNullable(attempts.get(attempt));
    }

    /** The GPU as the planner sees it for a new attempt. */
    GpuView view(GpuState state, AttemptId newAttempt) {
        var gpu = state.gpu().id();
        var holds = new ArrayList<HeldClaim>();
        var workers = new ArrayList<WarmWorker>();
        for (var holder : claiming(gpu.uuid())) {
            var claim = holder.claimOn(gpu.uuid());
            if (claim.isEmpty() || holder.attempt().equals(newAttempt)) {
                continue;
            }
            if (holder.isWorker()) {
                workers.add(worker(holder, claim.get()));
            } else {
                holds.add(new HeldClaim(holder.attempt(), claim.get()));
            }
        }
        var warm = PersistentMap.<GpuId, List<WarmWorker>>empty().with(gpu, List.copyOf(workers));
        return new GpuView(state, holds, List.of())
                .with(new WarmModels(warm, PersistentMap.empty()));
    }

    private static WarmWorker worker(NodeAttempt holder, Claim claim) {
        return new WarmWorker(
                holder.attempt(),
                "",
                claim.gpu(),
                claim.memoryMib(),
                WarmWorker.Status.READY,
                Optional.empty(),
                holder.since());
    }

    void callStarted(AttemptId call, AttemptId worker) {
        calls.put(call, worker);
    }

    void callEnded(AttemptId call) {
        calls.remove(call);
    }

    SortedMap<AttemptId, AttemptId> calls() {
        return calls;
    }

    List<NodeAttempt> list() {
        return List.copyOf(attempts.values());
    }
}
