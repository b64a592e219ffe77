package dev.berth.core.plan;

import dev.berth.core.share.LimitRules;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The limits of owners during one scheduling pass. It is asked before the GPUs are: the tasks of an
 * owner at a limit cost one look-up for each group, and block nobody.
 */
final class OwnerGate {

    private final LimitRules rules;
    private final Snapshot from;
    private final TreeMap<String, OwnerRoom> rooms = new TreeMap<>();

    /** What each principal runs; filled at the first question. */
    private final TreeMap<String, List<UserLoads.RunningLoad>> running = new TreeMap<>();

    /** The first task within its owner's budget that waits for GPUs. */
    private Optional<Task> firstWaiting = Optional.empty();

    private boolean isAnyOverBudget;

    OwnerGate(LimitRules rules, Snapshot from) {
        this.rules = rules;
        this.from = from;
    }

    /** Whether a limit keeps the task from starting. */
    boolean isClosed(Owner owner, Need need) {
        return !rules.isEmpty() && room(owner).refusal(need).isPresent();
    }

    /** Whether a task may start only if no task of other users waits for GPUs. */
    boolean isOverBudget(Owner owner, Need need) {
        if (rules.isEmpty() || need instanceof Need.Cpu || !room(owner).isOverBudget()) {
            return false;
        }
        isAnyOverBudget = true;
        return true;
    }

    /** How many GPUs a task may take. */
    int gpusLeft(Owner owner) {
        return rules.isEmpty() ? Integer.MAX_VALUE : room(owner).gpusLeft();
    }

    void started(Owner owner, int gpuCount) {
        if (!rules.isEmpty()) {
            rooms.put(owner.principal(), room(owner).started(gpuCount));
        }
    }

    void waits(Task task) {
        if (firstWaiting.isEmpty()) {
            firstWaiting = Optional.of(task);
        }
    }

    boolean hasWaiting() {
        return firstWaiting.isPresent();
    }

    LimitUse result() {
        return new LimitUse(
                rules, rooms, firstWaiting.map(Task::id), isAnyOverBudget && hasWaiting());
    }

    private OwnerRoom room(Owner owner) {
        return rooms.computeIfAbsent(
                owner.principal(),
                principal ->
                        OwnerRoom.of(
                                rules, from, owner, running().getOrDefault(principal, List.of())));
    }

    private SortedMap<String, List<UserLoads.RunningLoad>> running() {
        if (running.isEmpty()) {
            for (var load : from.loads().running().values()) {
                running.computeIfAbsent(load.owner().principal(), _ -> new ArrayList<>()).add(load);
            }
        }
        return running;
    }
}
