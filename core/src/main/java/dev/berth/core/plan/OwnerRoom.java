package dev.berth.core.plan;

import dev.berth.core.share.Limit;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the limits of one user leave.
 *
 * @param running the user's running tasks
 * @param gpus GPUs that they hold; one that two tasks share counts twice
 * @param dayGpuSeconds the use of the last 24 hours, including what runs
 */
public record OwnerRoom(
        SortedMap<LimitKey, Limit> limits, int running, int gpus, double dayGpuSeconds) {

    private static final double SECONDS_PER_HOUR = 3600;

    public OwnerRoom {
        limits = Collections.unmodifiableSortedMap(new TreeMap<>(limits));
    }

    public static OwnerRoom of(LimitRules rules, Snapshot snapshot, Owner owner) {
        var own =
                snapshot.loads().running().values().stream()
                        .filter(load -> load.owner().principal().equals(owner.principal()))
                        .toList();
        return of(rules, snapshot, owner, own);
    }

    /**
     * @param running what the owner runs
     */
    static OwnerRoom of(
            LimitRules rules, Snapshot snapshot, Owner owner, List<UserLoads.RunningLoad> running) {
        var loads = snapshot.loads();
        int gpus = 0;
        var ended = loads.ended().get(owner.principal());
        double used = ended == null ? 0 : ended.lastDay(snapshot.at());
        for (var load : running) {
            gpus += load.gpuCount();
            used += load.lastDay(snapshot.at());
        }
        return new OwnerRoom(rules.of(owner, loads.groups().of(owner)), running.size(), gpus, used);
    }

    OwnerRoom started(int gpuCount) {
        return new OwnerRoom(limits, running + 1, gpus + gpuCount, dayGpuSeconds);
    }

    /** Why a task with this need may not start although GPUs may be free. */
    Optional<WaitReason> refusal(Need need) {
        var maxRunning = limits.get(LimitKey.MAX_RUNNING);
        if (maxRunning != null && runningLeft() == 0) {
            return Optional.of(new WaitReason.LimitReached(maxRunning, running, 1));
        }
        var maxGpus = limits.get(LimitKey.MAX_GPUS);
        return maxGpus != null
                        && need instanceof Need.Gpus needed
                        && needed.count().min() > gpusLeft()
                ? Optional.of(new WaitReason.LimitReached(maxGpus, gpus, needed.count().min()))
                : Optional.empty();
    }

    int runningLeft() {
        var max = limits.get(LimitKey.MAX_RUNNING);
        return max == null ? Integer.MAX_VALUE : Math.max(0, max.count() - running);
    }

    int gpusLeft() {
        var max = limits.get(LimitKey.MAX_GPUS);
        return max == null ? Integer.MAX_VALUE : Math.max(0, max.count() - gpus);
    }

    /** The user's GPU tasks wait while tasks of others do. */
    public boolean isOverBudget() {
        var budget = limits.get(LimitKey.GPU_HOURS_PER_DAY);
        return budget != null && dayGpuSeconds >= budget.gpuSeconds();
    }

    public double dayGpuHours() {
        return dayGpuSeconds / SECONDS_PER_HOUR;
    }
}
