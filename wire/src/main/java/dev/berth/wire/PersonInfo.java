package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * A user with tasks, use or limits.
 *
 * @param groups as the machine lists them; empty if they are not known
 * @param role viewer, user or admin; null if it is not known
 * @param groupWeight the weight of the group that the user's share comes from
 * @param share what fair share aims for among the users with tasks, from 0 to 1; null without tasks
 * @param usedGpuHours of the last 24 hours, including what runs
 * @param usedShare their part of all that was used, from 0 to 1; null if nothing was
 * @param queued waiting tasks, drafts included
 * @param limits by name; those that limit nothing are left out
 * @param overBudget more was used than gpu_hours_per_day allows
 */
public record PersonInfo(
        String user,
        List<String> groups,
        @Nullable String role,
        double weight,
        boolean vip,
        double groupWeight,
        @Nullable Double share,
        double usedGpuHours,
        @Nullable Double usedShare,
        int running,
        int runningGpus,
        int queued,
        Map<String, PersonLimit> limits,
        boolean overBudget) {

    /**
     * A limit in force.
     *
     * @param value a number, or the name of a priority
     * @param source user, group:NAME or default
     */
    public record PersonLimit(Object value, String source) {}
}
