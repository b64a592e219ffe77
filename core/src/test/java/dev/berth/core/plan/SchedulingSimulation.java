package dev.berth.core.plan;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.id.TaskId;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;

/** Simulates days of scheduling: tasks arrive, run for a given time and end. */
final class SchedulingSimulation {

    private final Planner planner = new Planner(SchedulingRules.DEFAULT);
    private final SnapshotBuilder scene;
    private final PriorityQueue<Arrival> arrivals =
            new PriorityQueue<>(
                    Comparator.comparing(Arrival::at).thenComparing(one -> one.task().id()));
    private final PriorityQueue<Running> running =
            new PriorityQueue<>(
                    Comparator.comparing(Running::until).thenComparing(one -> one.task().id()));
    private final TreeMap<TaskId, Task> tasks = new TreeMap<>();
    private final TreeMap<TaskId, Duration> lengths = new TreeMap<>();
    final TreeMap<String, List<Duration>> waits = new TreeMap<>();
    final TreeMap<String, Double> cardSeconds = new TreeMap<>();
    private GpuUsage usage = GpuUsage.NONE;
    private long ids;

    private record Arrival(Instant at, Task task) {}

    private record Running(Task task, List<Claim> claims, Instant since, Instant until) {}

    SchedulingSimulation(QueueOrder order, int cards) {
        scene = new SnapshotBuilder(order);
        for (int index = 0; index < cards; index++) {
            scene.card(new Gpu(SnapshotBuilder.id(index), index, "A", 24_000), 24_000, 0, 40);
        }
    }

    void comes(Duration after, String owner, Duration length) {
        var id = new TaskId(++ids);
        var at = SnapshotBuilder.T0.plus(after);
        var spec = TaskSpec.of("task " + id, "true", Need.gpus(1), "/");
        var task = Task.queued(id, Owner.unix(owner), spec, at.plusNanos(ids * 1000));
        lengths.put(id, length);
        tasks.put(id, task);
        arrivals.add(new Arrival(at, task));
    }

    /** Runs until all tasks have ended or the time is over. */
    void live(Duration atMost) {
        var end = SnapshotBuilder.T0.plus(atMost);
        while (!arrivals.isEmpty() || !running.isEmpty()) {
            var now = next();
            if (now.isAfter(end)) {
                break;
            }
            while (!running.isEmpty() && !running.peek().until().isAfter(now)) {
                leave(running.remove(), now);
            }
            while (!arrivals.isEmpty() && !arrivals.peek().at().isAfter(now)) {
                scene.waiting = scene.waiting.with(arrivals.remove().task());
            }
            start(now);
        }
        running.forEach(one -> count(one, end));
    }

    private Instant next() {
        var come = arrivals.isEmpty() ? Instant.MAX : arrivals.peek().at();
        var go = running.isEmpty() ? Instant.MAX : running.peek().until();
        return come.isBefore(go) ? come : go;
    }

    private void leave(Running one, Instant now) {
        for (var claim : one.claims()) {
            scene.holds = scene.holds.without(claim.gpu());
        }
        count(one, now);
        var principal = one.task().owner().principal();
        usage =
                usage.with(
                        principal,
                        usage.charged(
                                principal,
                                one.claims().size(),
                                Duration.between(one.since(), now),
                                now));
    }

    private void count(Running one, Instant now) {
        cardSeconds.merge(
                one.task().owner().name(),
                one.claims().size() * (double) Duration.between(one.since(), now).toSeconds(),
                Double::sum);
    }

    private void start(Instant now) {
        for (var start : planner.plan(snapshot(now)).starts()) {
            var task = tasks.get(start.task());
            scene.waiting = scene.waiting.without(task);
            for (var claim : start.claims()) {
                scene.holds =
                        scene.holds.with(
                                claim.gpu(), List.of(new HeldClaim(start.attempt(), claim)));
            }
            running.add(new Running(task, start.claims(), now, now.plus(lengths.get(task.id()))));
            waits.computeIfAbsent(task.owner().name(), _ -> new ArrayList<>())
                    .add(Duration.between(task.createdAt(), now));
        }
    }

    private Snapshot snapshot(Instant now) {
        var hands =
                running.stream()
                        .map(
                                one ->
                                        new GpuUsage.RunningUsage(
                                                one.task().owner().principal(),
                                                one.claims().size(),
                                                one.since()))
                        .toList();
        var used = usage.totals(now, hands);
        var moment = scene.snapshot();
        return new Snapshot(
                now,
                moment.waiting(),
                moment.fleet(),
                used,
                StartConditions.of(0, moment.starts().pause()));
    }

    Duration meanWait(String owner) {
        var all = waits.get(owner);
        return all.stream().reduce(Duration.ZERO, Duration::plus).dividedBy(all.size());
    }
}
