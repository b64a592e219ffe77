package dev.berth.core.plan;

import dev.berth.core.queue.WaitingTasks.Head;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A scheduling pass for a cluster: takes the heads in the usual order, until each user has as many
 * tasks in the cluster as allowed. The starts have no claims.
 */
final class HandOverPass {

    private final Snapshot from;
    private final ClusterWindow window;
    private final PriorityQueue<Head> heads = new PriorityQueue<>(Head.ORDER);
    private final List<Verdict.Start> starts = new ArrayList<>();
    private final TreeMap<String, Integer> tasks;
    private final TreeSet<Long> startingRuns;

    HandOverPass(Snapshot from, ClusterWindow window) {
        this.from = from;
        this.window = window;
        this.tasks = new TreeMap<>(window.tasksByPrincipal());
        this.startingRuns = new TreeSet<>(from.starts().startingRuns());
    }

    Plan run() {
        if (from.starts().pause().isEmpty()) {
            heads.addAll(
                    from.waiting().heads(from::usedGpuSeconds, from.at(), startingRuns, _ -> true));
            while (!heads.isEmpty()) {
                consider(heads.remove());
            }
        }
        return new Plan(
                starts,
                new TreeMap<>(),
                from.fleet(),
                from.starts().cpuTasks(),
                new TreeMap<>(),
                startingRuns,
                new TreeMap<>(),
                Optional.empty(),
                LimitUse.NONE);
    }

    private void consider(Head head) {
        var principal = head.task().owner().principal();
        boolean isSpaced =
                head.task()
                        .spec()
                        .fileRunLane()
                        .filter(lane -> startingRuns.contains(lane.run()))
                        .isPresent();
        if (isSpaced || tasks.getOrDefault(principal, 0) >= window.limit()) {
            // The tasks behind it in its group have the same owner.
            return;
        }
        starts.add(new Verdict.Start(head.task().nextAttempt(), List.of()));
        tasks.merge(principal, 1, Integer::sum);
        var fileLane = head.task().spec().fileRunLane();
        fileLane.ifPresent(lane -> startingRuns.add(lane.run()));
        if (fileLane.isEmpty()) {
            head.next().ifPresent(heads::add);
        }
    }
}
