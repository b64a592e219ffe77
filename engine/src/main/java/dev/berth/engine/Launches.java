package dev.berth.engine;

import dev.berth.core.commandfile.BlockScript;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.Script;
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
 * script cannot be read now is kept and tried again: its attempt is committed. So is an order while
 * the scripts that the node has not written yet fill too much memory.
 */
final class Launches {

    private static final Logger log = LoggerFactory.getLogger(Launches.class);

    /** A heap of 64 MiB has room for the copies that the node makes of them. */
    private static final int MAX_GIVEN_CHARS = 4 << 20;

    private final TaskStore store;
    private final Node node;
    private final AttemptOrders orders;

    private final RecentScripts recent = new RecentScripts();

    /** Those that the node has not taken yet, with their length. */
    private final SortedMap<AttemptId, Integer> given = new TreeMap<>();

    private int givenChars;

    /** An order did not fit: nothing is read until the node has taken one. */
    private boolean isFull;

    private final List<Node.Launch> waiting = new ArrayList<>();
    private final List<Node.Call> waitingCalls = new ArrayList<>();

    Launches(TaskStore store, Node node, AttemptOrders orders) {
        this.store = store;
        this.node = node;
        this.orders = orders;
    }

    /** Keeps the scripts of new tasks until the next call, and short ones longer. */
    void committed(List<Change> changes) {
        recent.commit(changes);
    }

    /** True if the script of the task need not be read. */
    boolean isAtHand(TaskId task) {
        return recent.find(task).isPresent();
    }

    private Optional<Script.Text> script(TaskId task) throws StoreFailure {
        var known = recent.find(task);
        return known.isPresent() ? known : store.script(task);
    }

    /** Takes note that the node has written the script of an attempt, or does not need it. */
    void observe(EngineCommand command) {
        if (command instanceof EngineCommand.Observe(_, Fact fact)) {
            if (fact instanceof Fact.Started started) {
                taken(started.attempt());
            } else if (fact instanceof Fact.Ended ended) {
                taken(ended.attempt());
            } else if (fact instanceof Fact.Lost lost) {
                taken(lost.attempt());
            }
        }
    }

    private void taken(AttemptId attempt) {
        var chars = given.remove(attempt);
        if (chars != null) {
            givenChars -= chars;
            isFull = false;
        }
    }

    /** False if the node has to take other orders first. A cluster keeps scripts on disk. */
    private boolean give(AttemptId attempt, int chars) {
        if (orders.cluster().isPresent()) {
            return true;
        }
        isFull = !given.isEmpty() && givenChars + chars > MAX_GIVEN_CHARS;
        if (!isFull) {
            given.put(attempt, chars);
            givenChars += chars;
        }
        return !isFull;
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
        if (isFull) {
            waiting.add(order);
            return Optional.empty();
        }
        try {
            var script = script(id.task());
            if (script.isEmpty()) {
                return Optional.of(
                        new Fact.Ended(
                                id,
                                new Ending.LaunchFailed(ErrorSentence.SCRIPT_MISSING.text()),
                                List.of()));
            }
            if (give(id, script.get().command().length())) {
                orders.launch(withText(order, script.get()));
            } else {
                waiting.add(order);
            }
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
