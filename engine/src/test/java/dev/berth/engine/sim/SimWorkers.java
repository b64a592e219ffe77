package dev.berth.engine.sim;

import dev.berth.core.id.AttemptId;
import dev.berth.core.model.Model;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The calls that one node has given to workers. The worker goes on with a call when its server
 * dies, but nobody receives the answer.
 */
final class SimWorkers {

    private static final List<String> NAMES = List.of("a", "b", "c");

    /** Models whose workers end soon when nobody uses them. */
    static final SortedMap<String, Model> MODELS = models();

    private final SimMachine machine;
    private final SimNode node;
    private final SortedMap<AttemptId, Node.Call> waiting = new TreeMap<>();
    private final SortedMap<AttemptId, Node.Call> running = new TreeMap<>();
    private final TreeSet<AttemptId> ready = new TreeSet<>();

    SimWorkers(SimMachine machine, SimNode node) {
        this.machine = machine;
        this.node = node;
    }

    private static SortedMap<String, Model> models() {
        var models = new TreeMap<String, Model>();
        for (var name : NAMES) {
            models.put(
                    name,
                    new Model(
                            name,
                            "worker",
                            6000,
                            name.equals("a"),
                            Collections.emptySortedMap(),
                            "/tmp",
                            Optional.of(Duration.ofSeconds(5))));
        }
        return models;
    }

    static TaskSpec call(String name, int number) {
        var work =
                new ModelWork(
                        Optional.of(NAMES.get(number % NAMES.size())), Optional.empty(), 0, true);
        return TaskSpec.of(name, "{}", Need.gpus(1), "/tmp")
                .with(Script.of("{}", "/tmp"))
                .with(work);
    }

    void call(Node.Call order) {
        waiting.put(order.attempt(), order);
        node.later(5, () -> tryToSend(order));
    }

    private void tryToSend(Node.Call order) {
        if (!waiting.containsKey(order.attempt())) {
            return;
        }
        var worker = machine.folder(order.worker());
        if (worker.isEmpty() || worker.get().go.isEmpty()) {
            node.later(50, () -> tryToSend(order));
        } else if (worker.get().commandAlive) {
            if (ready.add(order.worker())) {
                node.tell(new Fact.WorkerReady(order.worker(), Duration.ofMillis(700)));
            }
            node.later(300, () -> send(order));
        }
        // A worker that has ended is reported by its end.
    }

    private void send(Node.Call order) {
        var worker = machine.folder(order.worker()).orElseThrow();
        if (!worker.commandAlive || waiting.remove(order.attempt()) == null) {
            return;
        }
        running.put(order.attempt(), order);
        machine.callBegins(order.attempt(), order.worker());
        // The start of a short call is reported with its end.
        var unreported = Optional.of(worker.go.orElseThrow()).filter(_ -> node.hasBadLuck(30));
        if (unreported.isEmpty()) {
            node.tell(new Fact.Started(order.attempt(), worker.go.orElseThrow()));
        }
        node.onMachine(
                1000,
                () -> {
                    boolean isDone = worker.commandAlive && machine.callEnds(order.attempt());
                    if (isDone) {
                        node.ifAlive(() -> answer(order, unreported));
                    }
                });
    }

    private void answer(Node.Call order, Optional<ShimProcess> start) {
        if (running.remove(order.attempt()) == null) {
            return;
        }
        if (node.hasBadLuck(5)) {
            node.workerCrashes(order.worker());
        } else if (node.hasBadLuck(5)) {
            node.tell(
                    new Fact.WorkerFailed(
                            order.worker(), Fact.WorkerFault.SILENT, "does not answer"));
        } else if (node.hasBadLuck(5)) {
            node.tell(
                    new Fact.WorkerFailed(
                            order.worker(), Fact.WorkerFault.PROTOCOL, "prints anything"));
        } else if (node.hasBadLuck(20)) {
            node.tell(
                    new Fact.CallEnded(
                            order.attempt(),
                            new Ending.CallFailed("error", "it cannot"),
                            Optional.empty(),
                            start,
                            Optional.empty()));
        } else {
            node.tell(
                    new Fact.CallEnded(
                            order.attempt(),
                            new Ending.Exited(0),
                            Optional.of("{}"),
                            start,
                            Optional.empty()));
        }
    }

    /** False if no worker has this attempt. */
    boolean cancel(AttemptId attempt) {
        if (waiting.remove(attempt) != null) {
            node.later(
                    5,
                    () ->
                            node.tell(
                                    new Fact.CallEnded(
                                            attempt, new Ending.NeverStarted(), Optional.empty())));
            return true;
        }
        var order = running.remove(attempt);
        if (order == null) {
            return false;
        }
        node.later(
                500,
                () -> {
                    if (node.hasBadLuck(30)) {
                        node.tell(
                                new Fact.WorkerFailed(
                                        order.worker(),
                                        Fact.WorkerFault.PROTOCOL,
                                        "does not end a cancelled task"));
                    } else {
                        var _ = machine.callEnds(attempt);
                        node.tell(
                                new Fact.CallEnded(
                                        attempt,
                                        new Ending.CallFailed("cancelled", "cancelled"),
                                        Optional.empty()));
                    }
                });
        return true;
    }
}
