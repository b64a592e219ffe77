package dev.berth.core.why;

import dev.berth.core.plan.GpuAssessment;
import dev.berth.core.plan.GpuRequirement;
import dev.berth.core.plan.GpuView;
import dev.berth.core.plan.Headroom;
import dev.berth.core.plan.Refusal;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The edits that may let a task start earlier. Each is only a guess by the refusals of the GPUs;
 * the planner decides whether it helps.
 *
 * @param gpus all GPUs, with their refusals for this task
 * @param ask what the task requires of each GPU
 */
record EditCandidates(Task task, Need.Gpus need, GpuRequirement ask, List<GpuAssessment> gpus) {

    /** Less is no memory that a program on a GPU can work with. */
    private static final long MIN_MIB = 1024;

    /** Memory is suggested in steps of half a GB. */
    private static final long STEP_MIB = 512;

    private static final Duration SHORTEST_LIMIT = Duration.ofMinutes(2);

    private static final List<Duration> TIME_LIMITS =
            Stream.of(24 * 60, 12 * 60, 4 * 60, 2 * 60, 60, 30, 15, 5)
                    .map(Duration::ofMinutes)
                    .toList();

    /**
     * Each list has the variants of one edit: the first one that helps is the best, and the last
     * one asks for the least.
     */
    List<List<TaskEdit>> all() {
        return Stream.of(fewerGpus(), fewerDevices(), anyType(), anyDevices(), memory(), shared())
                .filter(variants -> !variants.isEmpty())
                .toList();
    }

    private List<TaskEdit> fewerGpus() {
        int min = need.count().min();
        if (need.devices().isPresent() || min == 1) {
            return List.of();
        }
        int fitting = Math.clamp(fitting().count(), 1, min - 1);
        return Stream.of(fitting, 1).distinct().map(this::withMin).toList();
    }

    /** A range keeps its maximum. */
    private TaskEdit withMin(int min) {
        var count = need.count();
        boolean isRange = count.max() > count.min();
        return new TaskEdit.FewerGpus(new Need.GpuCount(min, isRange ? count.max() : min));
    }

    private List<TaskEdit> fewerDevices() {
        var named = need.devices().map(GpuIndices::indices).orElse(new TreeSet<>());
        var fitting =
                fitting()
                        .map(view -> view.state().gpu().index())
                        .filter(named::contains)
                        .collect(Collectors.toCollection(TreeSet::new));
        return fitting.isEmpty() || fitting.size() == named.size()
                ? List.of()
                : List.of(new TaskEdit.FewerDevices(new GpuIndices(fitting)));
    }

    private List<TaskEdit> anyType() {
        return need.type().isPresent() ? List.of(new TaskEdit.AnyType()) : List.of();
    }

    private List<TaskEdit> anyDevices() {
        return need.devices().isPresent()
                ? List.of(new TaskEdit.AnyDevices(need.count().min()))
                : List.of();
    }

    /** The most memory that is left on as many GPUs as it needs. */
    private List<TaskEdit> memory() {
        int missing = need.count().min() - (int) fitting().count();
        var left =
                gpus.stream()
                        .filter(gpu -> gpu.refusal().filter(EditCandidates::isMemory).isPresent())
                        .map(gpu -> leftMib(gpu.view()) / STEP_MIB * STEP_MIB)
                        .sorted(Comparator.reverseOrder())
                        .toList();
        if (missing < 1 || left.size() < missing) {
            return List.of();
        }
        // A margin is kept only for estimates, so stating the estimate itself may be enough.
        long most = ask.neededMib().orElse(Long.MAX_VALUE) / STEP_MIB * STEP_MIB;
        long mib = Math.min(left.get(missing - 1), most);
        if (mib < MIN_MIB) {
            return List.of();
        }
        return ask.neededMib().isEmpty()
                ? List.of(new TaskEdit.StatedMemory(mib))
                : List.of(new TaskEdit.LessMemory(mib));
    }

    private static boolean isMemory(Refusal refusal) {
        return refusal instanceof Refusal.NotEnoughMemory
                || refusal instanceof Refusal.TooSmall
                || refusal instanceof Refusal.InUse;
    }

    private static long leftMib(GpuView view) {
        return view.state()
                .currentReading()
                .map(reading -> Headroom.mib(reading, view.holds()).orElse(0))
                .orElse(0L);
    }

    /** Sharing needs a stated memory; the tasks of command files do not share. */
    private List<TaskEdit> shared() {
        boolean isPossible =
                need.memory().mib().isPresent()
                        && !need.memory().isShared()
                        && task.spec().fileRunLane().isEmpty();
        return isPossible ? List.of(new TaskEdit.Shared()) : List.of();
    }

    /**
     * Shorter tasks may go first.
     *
     * @param longest the longest limit that a task may have
     * @param extra one more limit that may help
     */
    static List<TaskEdit> timeLimits(Task task, Duration longest, Optional<Duration> extra) {
        var now = task.spec().options().timeLimit();
        return Stream.concat(TIME_LIMITS.stream(), extra.stream())
                .filter(limit -> limit.compareTo(SHORTEST_LIMIT) >= 0)
                .distinct()
                .sorted(Comparator.reverseOrder())
                .filter(limit -> limit.compareTo(longest) <= 0)
                .filter(limit -> now.isEmpty() || limit.compareTo(now.get()) < 0)
                .<TaskEdit>map(TaskEdit.TimeLimit::new)
                .toList();
    }

    /** The next higher priority first. */
    static List<TaskEdit> priorities(Task task) {
        var now = task.spec().options().priority();
        return Arrays.stream(Priority.values())
                .filter(priority -> priority.ordinal() < now.ordinal())
                .sorted(Comparator.reverseOrder())
                .<TaskEdit>map(TaskEdit.HigherPriority::new)
                .toList();
    }

    private Stream<GpuView> fitting() {
        return gpus.stream().filter(gpu -> gpu.refusal().isEmpty()).map(GpuAssessment::view);
    }
}
