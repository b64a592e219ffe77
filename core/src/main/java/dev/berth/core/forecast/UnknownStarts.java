package dev.berth.core.forecast;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.forecast.RunLengths.Quantile;
import dev.berth.core.forecast.UnknownStart.Cause;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Why the starts of waiting tasks are unknown. It is computed once for all tasks of a forecast,
 * because a list shows very many of them.
 */
public final class UnknownStarts {

    /** Of no forecast. */
    static final UnknownStarts NOT_COMPUTED = new UnknownStarts(Optional.empty(), false, false);

    private final Optional<WaitReason.Paused> pause;
    private final boolean hasMoreTasks;
    private final boolean isInCluster;

    /** The first task of unknown length before each of the first tasks. */
    private final TreeMap<TaskId, Optional<TaskId>> unknownBefore = new TreeMap<>();

    private final TreeMap<Shape, Optional<UnknownStart>> byShape = new TreeMap<>();

    private UnknownStarts(
            Optional<WaitReason.Paused> pause, boolean hasMoreTasks, boolean isInCluster) {
        this.isInCluster = isInCluster;
        this.pause = pause;
        this.hasMoreTasks = hasMoreTasks;
    }

    public static UnknownStarts of(ForecastInput input) {
        var snapshot = input.snapshot();
        var starts =
                new UnknownStarts(
                        snapshot.starts().pause(),
                        snapshot.waiting().size() > Forecaster.MAX_TASKS,
                        snapshot.cluster().isPresent());
        var lengths = new RunLengths(input.times(), Quantile.MEDIAN);
        var endless =
                input.running().stream()
                        .filter(one -> lengths.end(one, snapshot.at()).isEmpty())
                        .toList();
        var gpus = snapshot.fleet().gpus();
        var planner = input.forecaster().planner();
        var before = Optional.<TaskId>empty();
        var waiting = snapshot.waiting();
        // Delayed tasks are in no queue: they count as the last ones.
        var first =
                Stream.concat(waiting.inOrder(snapshot::usedGpuSeconds), waiting.delayed().values())
                        .limit(Forecaster.MAX_TASKS);
        for (var task : first.toList()) {
            starts.unknownBefore.put(task.id(), before);
            starts.byShape.computeIfAbsent(
                    Shape.of(task.spec()), shape -> cause(shape, planner, gpus, endless));
            if (before.isEmpty() && lengths.of(task).isEmpty()) {
                before = Optional.of(task.id());
            }
        }
        return starts;
    }

    private static Optional<UnknownStart> cause(
            Shape shape,
            Planner planner,
            PersistentMap<GpuId, GpuState> gpus,
            List<RunningTask> endless) {
        if (shape.need() instanceof Need.Gpus need
                && planner.suitableGpus(shape, gpus, need.count().min()) < need.count().min()) {
            return Optional.of(new UnknownStart(Cause.NEVER_POSSIBLE));
        }
        for (var running : endless) {
            if (isInTheWay(running, shape, planner, gpus)) {
                var phase = running.attempt().phase();
                boolean isObserved = !(phase instanceof Phase.Lost || phase instanceof Phase.Stuck);
                return Optional.of(
                        new UnknownStart(
                                isObserved ? Cause.RUNNING_TASK : Cause.UNOBSERVED_TASK,
                                running.task().id()));
            }
        }
        return Optional.empty();
    }

    private static boolean isInTheWay(
            RunningTask running,
            Shape shape,
            Planner planner,
            PersistentMap<GpuId, GpuState> gpus) {
        var held = new ArrayList<GpuState>();
        running.attempt().claims().forEach(claim -> gpus.get(claim.gpu()).ifPresent(held::add));
        return shape.need() instanceof Need.Cpu
                ? running.attempt().claims().isEmpty()
                : held.stream().anyMatch(gpu -> planner.isSuitable(shape, gpu));
    }

    /**
     * @param task a waiting task without an expected start
     */
    public UnknownStart of(Task task) {
        // A task that the cluster has does not wait for the server any more.
        if (pause.isPresent() && !(task.state() instanceof TaskState.Handed)) {
            return new UnknownStart(pause.get());
        }
        if (isInCluster) {
            return new UnknownStart(Cause.CLUSTER);
        }
        var before = unknownBefore.get(task.id());
        if (before == null) {
            return new UnknownStart(hasMoreTasks ? Cause.TOO_FAR : Cause.NOT_COMPUTED);
        }
        var shape = byShape.getOrDefault(Shape.of(task.spec()), Optional.empty());
        return shape.or(() -> before.map(one -> new UnknownStart(Cause.TASK_AHEAD, one)))
                .orElse(new UnknownStart(Cause.TOO_FAR));
    }
}
