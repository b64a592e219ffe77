package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.ClusterWait;
import dev.berth.core.plan.ClusterWindow;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.Change;
import dev.berth.port.Fact;
import dev.berth.port.event.AttemptPayload.AttemptStarted;

import java.util.Comparator;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Decides about attempts that were handed to a cluster. */
final class ClusterDecider {

    private ClusterDecider() {}

    /** What limits the hand-over of further tasks. */
    static ClusterWindow window(EngineState state, ClusterTerms terms) {
        var tasks = new TreeMap<String, Integer>();
        var waits = new TreeMap<TaskId, ClusterWait>();
        for (var attempt : state.attempts().values().toList()) {
            var task = state.tasks().get(attempt.id().task()).orElseThrow();
            tasks.merge(task.owner().principal(), 1, Integer::sum);
            state.sinceStart()
                    .cluster()
                    .waits()
                    .get(attempt.id())
                    .ifPresent(status -> waits.put(task.id(), status));
        }
        return new ClusterWindow(terms.limit(state), tasks, waits);
    }

    /**
     * The cluster started the attempt. Its claims are not exclusive: the cluster divides the GPUs,
     * and the next job of a GPU may be seen before the end of the last one.
     */
    static void placed(Decision decision, Fact.Placed fact) {
        var found = decision.state().attempts().get(fact.attempt());
        if (found.isEmpty()) {
            return;
        }
        for (var gpu : fact.gpus()) {
            if (decision.state().gpus().get(gpu.id()).isEmpty()) {
                decision.save(new Change.GpuSaved(gpu));
            }
        }
        var task = decision.state().tasks().get(fact.attempt().task()).orElseThrow();
        long memoryMib = task.spec().statedMemoryMib().orElse(0);
        var claims =
                fact.gpus().stream()
                        .map(Gpu::id)
                        .map(id -> new Claim(id, memoryMib, false))
                        .toList();
        var before = found.get();
        decision.save(
                before.placedOn(fact.host(), fact.process(), claims)
                        .after(new PhaseTransition.SeenAlive(fact.process())));
        if (task.state() instanceof TaskState.Handed(int number)) {
            decision.save(task.after(new TaskTransition.Start(number)));
        }
        if (!(before.phase() instanceof Phase.Running)) {
            decision.addEvent(
                    Owner.BERTH, before.id(), new AttemptStarted(fact.process().key().pid()));
        }
        ContactDecider.found(decision, before);
        change(decision, decision.state().sinceStart().cluster().without(before.id()));
        confirmRecovered(decision, before.id());
    }

    private static void confirmRecovered(Decision decision, AttemptId id) {
        var since = decision.state().sinceStart();
        decision.setState(
                decision.state().with(since.withUnrecovered(since.unrecovered().without(id))));
    }

    static void waiting(Decision decision, Fact.ClusterWaits fact) {
        var waits = PersistentMap.<AttemptId, ClusterWait>empty();
        for (var entry : fact.waits().entrySet()) {
            if (decision.state().attempts().contains(entry.getKey())) {
                waits = waits.with(entry.getKey(), entry.getValue());
                confirmRecovered(decision, entry.getKey());
            }
        }
        change(decision, decision.state().sinceStart().cluster().with(waits));
    }

    /** Nothing is known any more about how the attempt waits. */
    static void ended(Decision decision, AttemptId attempt) {
        change(decision, decision.state().sinceStart().cluster().without(attempt));
    }

    /**
     * Asks one task of each user back whose window is full while a task of a higher class waits
     * here. A task that waits in the cluster loses nothing by that.
     */
    static void withdraw(Decision decision, Snapshot snapshot, ClusterWindow window) {
        var principals = new TreeSet<String>();
        for (var head :
                snapshot.waiting()
                        .heads(
                                snapshot::usedGpuSeconds,
                                snapshot.at(),
                                snapshot.starts().startingRuns(),
                                _ -> true)) {
            var task = head.task();
            var principal = task.owner().principal();
            if (window.tasksOf(principal) >= window.limit() && !principals.contains(principal)) {
                lowest(decision.state(), task)
                        .ifPresent(
                                attempt -> {
                                    principals.add(principal);
                                    var known = decision.state().sinceStart().cluster();
                                    change(decision, known.withWithdrawn(attempt.id()));
                                    decision.addEffect(new Effect.Withdraw(attempt.id()));
                                });
            }
        }
    }

    /** The attempt to withdraw for this task; none while another one is being withdrawn. */
    private static Optional<Attempt> lowest(EngineState state, Task waiting) {
        var withdrawn = state.sinceStart().cluster().withdrawn();
        var handed =
                state.attempts()
                        .values()
                        .filter(attempt -> attempt.phase() instanceof Phase.Handed)
                        .filter(attempt -> isOwnedBy(state, attempt, waiting.owner()))
                        .toList();
        if (handed.stream().anyMatch(attempt -> withdrawn.contains(attempt.id()))) {
            return Optional.empty();
        }
        var priority = waiting.spec().options().priority();
        return handed.stream()
                .filter(attempt -> priorityRank(state, attempt) > priority.ordinal())
                .max(
                        Comparator.<Attempt>comparingInt(attempt -> priorityRank(state, attempt))
                                .thenComparing(Attempt::id));
    }

    private static boolean isOwnedBy(EngineState state, Attempt attempt, Owner owner) {
        return state.tasks()
                .get(attempt.id().task())
                .filter(task -> task.owner().principal().equals(owner.principal()))
                .isPresent();
    }

    /** A higher number is a lower class. */
    private static int priorityRank(EngineState state, Attempt attempt) {
        return state.tasks()
                .get(attempt.id().task())
                .orElseThrow()
                .spec()
                .options()
                .priority()
                .ordinal();
    }

    private static void change(Decision decision, ClusterState other) {
        decision.setState(decision.state().with(decision.state().sinceStart().with(other)));
    }
}
