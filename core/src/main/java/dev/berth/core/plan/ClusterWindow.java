package dev.berth.core.plan;

import dev.berth.core.id.TaskId;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cluster runs the tasks: its scheduler chooses the GPUs and orders users, so a pass only limits
 * how many tasks of each user are there.
 *
 * @param limit tasks of one user in the cluster, waiting and running
 * @param tasksByPrincipal number of tasks that are there now
 * @param waits what the cluster says about the tasks that wait there
 */
public record ClusterWindow(
        int limit,
        SortedMap<String, Integer> tasksByPrincipal,
        SortedMap<TaskId, ClusterWait> waits) {

    public ClusterWindow {
        tasksByPrincipal = Collections.unmodifiableSortedMap(new TreeMap<>(tasksByPrincipal));
        waits = Collections.unmodifiableSortedMap(new TreeMap<>(waits));
    }

    /** Number of tasks of this user in the cluster. */
    public int tasksOf(String principal) {
        return tasksByPrincipal.getOrDefault(principal, 0);
    }

    /**
     * The reason why a task of this owner is not handed over, if it is that.
     *
     * @param isOnlyReason nothing else keeps the task
     */
    Optional<WaitReason> full(String principal, boolean isOnlyReason) {
        int tasks = tasksOf(principal);
        return isOnlyReason || tasks >= limit
                ? Optional.of(new WaitReason.ClusterWindowFull(tasks, limit))
                : Optional.empty();
    }
}
