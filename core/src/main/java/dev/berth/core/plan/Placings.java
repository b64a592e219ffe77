package dev.berth.core.plan;

import dev.berth.core.gpu.GpuState;
import dev.berth.core.queue.TaskGroup;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/**
 * Which GPUs each task may use during one scheduling pass. GPUs, models and reservations stay the
 * same meanwhile, so what is the same for several groups is decided once.
 */
final class Placings {

    private final Planner planner;
    private final Fleet fleet;

    /** For each owner, the reservations that are closed to its tasks without a time limit. */
    private final Map<String, SortedSet<Long>> closedByOwner = new LinkedHashMap<>();

    private final Map<Placing, Boolean> possible = new LinkedHashMap<>();
    private final Map<Integer, List<GpuState>> byIndex = new LinkedHashMap<>();

    /**
     * @param fleet as it is when the pass begins
     */
    Placings(Planner planner, Fleet fleet) {
        this.planner = planner;
        this.fleet = fleet;
    }

    Placing of(TaskGroup group, Task task) {
        return new Placing(group.shape(), closedTo(task));
    }

    SortedSet<Long> closedTo(Task task) {
        var reservations = fleet.reservations();
        return task.spec().options().timeLimit().isPresent()
                ? reservations.closedTo(task)
                : closedByOwner.computeIfAbsent(
                        task.owner().principal(), _ -> reservations.closedTo(task));
    }

    /** Whether enough GPUs exist, so that waiting for tasks makes sense. */
    boolean isPossible(Placing placing) {
        return possible.computeIfAbsent(placing, this::decide);
    }

    private boolean decide(Placing placing) {
        var shape = placing.shape();
        boolean isHeldBack =
                shape.work()
                        .filter(ModelWork::isCall)
                        .flatMap(ModelWork::model)
                        .filter(fleet.warm()::isHeldBack)
                        .isPresent();
        if (isHeldBack) {
            return false;
        }
        return !(shape.need() instanceof Need.Gpus need)
                || hasSuitableGpus(planner.requirement(need, placing));
    }

    /** GPUs that are reserved for others do not count. */
    private boolean hasSuitableGpus(GpuRequirement ask) {
        int missing = ask.need().count().min();
        var named = ask.need().devices().map(GpuIndices::indices);
        for (var index : named.isPresent() ? named.get() : byIndex().keySet()) {
            for (var state : gpus(index)) {
                boolean isReserved =
                        fleet.reservations().first(state.gpu().id(), ask.closed()).isPresent();
                missing -= !isReserved && planner.isSuitable(ask, state) ? 1 : 0;
                if (missing <= 0) {
                    return true;
                }
            }
        }
        return false;
    }

    List<GpuState> gpus(int index) {
        return byIndex().getOrDefault(index, List.of());
    }

    /** Built lazily: it is needed only if a task is blocked. */
    private Map<Integer, List<GpuState>> byIndex() {
        if (byIndex.isEmpty()) {
            for (var entry : fleet.gpus()) {
                byIndex.computeIfAbsent(entry.getValue().gpu().index(), _ -> new ArrayList<>(1))
                        .add(entry.getValue());
            }
        }
        return byIndex;
    }
}
