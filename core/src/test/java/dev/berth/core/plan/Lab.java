package dev.berth.core.plan;

import dev.berth.core.card.Card;
import dev.berth.core.line.Order;
import dev.berth.core.line.Usage;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;

/** Days of a lab in a moment: tasks come, run for as long as they were meant to, and leave. */
final class Lab {

    private final Planner planner = new Planner(Rules.USUAL);
    private final Scene scene;
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
    private Usage usage = Usage.NONE;
    private long ids;

    private record Arrival(Instant at, Task task) {}

    private record Running(Task task, List<Claim> claims, Instant since, Instant until) {}

    Lab(Order order, int cards) {
        scene = new Scene(order);
        for (int index = 0; index < cards; index++) {
            scene.card(new Card(Scene.id(index), index, "A", 24_000), 24_000, 0, 40);
        }
    }

    void comes(Duration after, String owner, Duration length) {
        var id = new TaskId(++ids);
        var at = Scene.T0.plus(after);
        var spec = TaskSpec.of("task " + id, "true", Need.cards(1), "/");
        var task = Task.queued(id, Owner.unix(owner), spec, at.plusNanos(ids * 1000));
        lengths.put(id, length);
        tasks.put(id, task);
        arrivals.add(new Arrival(at, task));
    }

    /** Lives until everything is done or the time is over. */
    void live(Duration atMost) {
        var end = Scene.T0.plus(atMost);
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
            scene.holds = scene.holds.without(claim.card());
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
        for (var start : planner.pass(snapshot(now)).starts()) {
            var task = tasks.get(start.task());
            scene.waiting = scene.waiting.without(task);
            for (var claim : start.claims()) {
                scene.holds =
                        scene.holds.with(claim.card(), List.of(new Hold(start.attempt(), claim)));
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
                                        new Usage.Running(
                                                one.task().owner().principal(),
                                                one.claims().size(),
                                                one.since()))
                        .toList();
        var used = usage.by(now, hands);
        var moment = scene.snapshot();
        return new Snapshot(now, moment.waiting(), moment.fleet(), used, 0, moment.pause());
    }

    Duration meanWait(String owner) {
        var all = waits.get(owner);
        return all.stream().reduce(Duration.ZERO, Duration::plus).dividedBy(all.size());
    }
}
