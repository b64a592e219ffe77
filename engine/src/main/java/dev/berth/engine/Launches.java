package dev.berth.engine;

import dev.berth.core.commandfile.BlockScript;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;
import dev.berth.port.Change;
import dev.berth.port.Fact;
import dev.berth.port.Node;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Gives launch orders to the node, each with the text of its script as stored. An order whose
 * script cannot be read now is kept and tried again: its attempt is committed.
 */
final class Launches {

    private static final Logger log = LoggerFactory.getLogger(Launches.class);

    private final TaskStore store;
    private final Node node;
    private final AttemptOrders orders;

    /** Those that were just committed need not be read. */
    private final SortedMap<TaskId, Script.Text> fresh = new TreeMap<>();

    private final List<Node.Launch> waiting = new ArrayList<>();
    private final List<Node.Call> waitingCalls = new ArrayList<>();

    Launches(TaskStore store, Node node, AttemptOrders orders) {
        this.store = store;
        this.node = node;
        this.orders = orders;
    }

    /** Keeps the scripts of new tasks until the next call. */
    void committed(List<Change> changes) {
        fresh.clear();
        for (var change : changes) {
            if (change instanceof Change.TaskSaved(Task task)
                    && task.spec().script() instanceof Script.Text text) {
                fresh.put(task.id(), text);
            }
        }
    }

    private Optional<Script.Text> script(TaskId task) throws StoreFailure {
        var known = fresh.get(task);
        return known != null ? Optional.of(known) : store.script(task);
    }

    /** Whether an order waits for its script. */
    boolean isWaiting() {
        return !waiting.isEmpty() || !waitingCalls.isEmpty();
    }

    /**
     * @return the end of an attempt that can never be launched
     */
    Optional<Fact> launch(Node.Launch order) {
        var id = order.attempt().id();
        try {
            var script = script(id.task());
            if (script.isEmpty()) {
                return Optional.of(
                        new Fact.Ended(
                                id,
                                new Ending.LaunchFailed(ErrorSentence.SCRIPT_MISSING.text()),
                                List.of()));
            }
            orders.launch(withText(order, script.get()));
        } catch (StoreFailure failure) {
            log.error("the script of attempt {} cannot be read yet: {}", id, failure.getMessage());
            waiting.add(order);
        }
        return Optional.empty();
    }

    /**
     * @return the end of a call that can never be made
     */
    Optional<Fact> call(Node.Call order) {
        try {
            var params = script(order.attempt().task());
            if (params.isEmpty()) {
                return Optional.of(
                        new Fact.CallEnded(
                                order.attempt(),
                                new Ending.LaunchFailed(ErrorSentence.PARAMETERS_MISSING.text()),
                                Optional.empty()));
            }
            node.call(
                    new Node.Call(
                            order.attempt(),
                            order.worker(),
                            order.taskType(),
                            params.get().command(),
                            order.timeLimit(),
                            params.get().runAs()));
        } catch (StoreFailure failure) {
            log.error(
                    "the parameters of attempt {} cannot be read yet: {}",
                    order.attempt(),
                    failure.getMessage());
            waitingCalls.add(order);
        }
        return Optional.empty();
    }

    /** Tries the waiting orders again. */
    List<Fact> retry() {
        var orders = List.copyOf(waiting);
        var calls = List.copyOf(waitingCalls);
        waiting.clear();
        waitingCalls.clear();
        return Stream.concat(
                        orders.stream().flatMap(order -> launch(order).stream()),
                        calls.stream().flatMap(order -> call(order).stream()))
                .toList();
    }

    /** A stopped attempt is not launched any more. */
    void forget(AttemptId attempt) {
        waiting.removeIf(order -> order.attempt().id().equals(attempt));
        waitingCalls.removeIf(order -> order.attempt().equals(attempt));
    }

    /** The lines of a command file become one script, with the id of the task filled in. */
    private static Node.Launch withText(Node.Launch order, Script.Text text) {
        var script =
                order.reportKey()
                        .map(uniId -> text.withCommand(BlockScript.of(text, uniId)))
                        .orElse(text);
        return new Node.Launch(
                order.attempt(),
                order.spec().with(script),
                order.gpus(),
                order.terms(),
                order.reportKey(),
                order.submission());
    }
}
