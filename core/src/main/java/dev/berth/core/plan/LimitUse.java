package dev.berth.core.plan;

import dev.berth.core.id.TaskId;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the limits of users leave after a scheduling pass.
 *
 * @param rooms by principal, of the owners that the pass has looked at
 * @param firstWaiting the first task within its owner's budget that waits for GPUs
 * @param isBudgetUsed tasks of owners over their budget wait for that
 */
public record LimitUse(
        LimitRules rules,
        SortedMap<String, OwnerRoom> rooms,
        Optional<TaskId> firstWaiting,
        boolean isBudgetUsed) {

    /** Nothing is limited. */
    static final LimitUse NONE =
            new LimitUse(LimitRules.NONE, Collections.emptySortedMap(), Optional.empty(), false);

    public LimitUse {
        rooms = Collections.unmodifiableSortedMap(new TreeMap<>(rooms));
    }

    /** The limit that a waiting task waits for, if it does. */
    Optional<WaitReason> reason(Snapshot snapshot, Task task) {
        if (rules.isEmpty()) {
            return Optional.empty();
        }
        var need = task.spec().requirements().need();
        var known = rooms.get(task.owner().principal());
        var room = known == null ? OwnerRoom.of(rules, snapshot, task.owner()) : known;
        return room.refusal(need)
                .or(() -> need instanceof Need.Gpus ? overBudget(room) : Optional.empty());
    }

    private Optional<WaitReason> overBudget(OwnerRoom room) {
        var budget = room.limits().get(LimitKey.GPU_HOURS_PER_DAY);
        return budget == null || !room.isOverBudget()
                ? Optional.empty()
                : firstWaiting.map(
                        waiting -> new WaitReason.OverBudget(budget, room.dayGpuHours(), waiting));
    }
}
