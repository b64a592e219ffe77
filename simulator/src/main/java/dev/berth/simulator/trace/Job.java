package dev.berth.simulator.trace;

/**
 * One job of a trace. Times are whole seconds.
 *
 * @param row its position in the trace
 * @param user empty if the trace does not say
 * @param group the virtual cluster or group; empty if the trace does not say
 */
public record Job(
        int row, String id, String user, String group, long submitS, long durationS, JobNeed need) {

    public Job with(JobNeed other) {
        return new Job(row, id, user, group, submitS, durationS, other);
    }
}
