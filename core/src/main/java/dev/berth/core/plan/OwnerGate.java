package dev.berth.core.plan;

import dev.berth.core.share.LimitRules;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** By principal. Asked about every group, so it is looked up by hash. */
    private final Map<String, Remaining> remaining = new LinkedHashMap<>();

    /** What each principal runs; filled at the first question. */
    private final TreeMap<String, List<UserLoads.RunningLoad>> running = new TreeMap<>();

    /** The first task within its owner's budget that waits for GPUs. */
    private Optional<Task> firstWaiting = Optional.empty();

    private boolean isAnyOverBudget;

    /** What the limits leave to a principal; all that decides about a group. */
    private record Remaining(int tasks, int gpus, boolean isOverBudget) {

        static Remaining of(OwnerRoom room) {
            return new Remaining(room.runningLeft(), room.gpusLeft(), room.isOverBudget());
        }

        boolean isClosed(Need need) {
            return tasks == 0 || (need instanceof Need.Gpus needed && needed.count().min() > gpus);
        }
    }

    OwnerGate(LimitRules rules, Snapshot from) {
        this.rules = rules;
        this.from = from;
    }

    /** Whether a limit keeps the task from starting. */
    boolean isClosed(Owner owner, Need need) {
        return !rules.isEmpty() && remaining(owner).isClosed(need);
    }

    /** Whether a task may start only if no task of other users waits for GPUs. */
    boolean isOverBudget(Owner owner, Need need) {
        if (rules.isEmpty() || need instanceof Need.Cpu || !remaining(owner).isOverBudget()) {
            return false;
        }
        isAnyOverBudget = true;
        return true;
    }

    /** How many GPUs a task may take. */
    int gpusLeft(Owner owner) {
        return rules.isEmpty() ? Integer.MAX_VALUE : remaining(owner).gpus();
    }

    void started(Owner owner, int gpuCount) {
        if (!rules.isEmpty()) {
            var room = room(owner).started(gpuCount);
            rooms.put(owner.principal(), room);
            remaining.put(owner.principal(), Remaining.of(room));
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

    private Remaining remaining(Owner owner) {
        return remaining.computeIfAbsent(owner.principal(), _ -> Remaining.of(room(owner)));
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
