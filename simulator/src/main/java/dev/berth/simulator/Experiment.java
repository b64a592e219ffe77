package dev.berth.simulator;

import dev.berth.simulator.cluster.Node;
import dev.berth.simulator.cluster.Placement;
import dev.berth.simulator.replay.PolicyChoice;
import dev.berth.simulator.replay.Replay;
import dev.berth.simulator.replay.Schedule;
import dev.berth.simulator.replay.ScheduledJob;
import dev.berth.simulator.trace.Job;
import dev.berth.simulator.trace.JobNeed;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Jobs and the cluster to replay them on.
 *
 * @param virtualClusters the nodes of each; empty if all jobs share {@code nodes}
 */
public record Experiment(
        List<Job> jobs,
        Placement placement,
        List<Node> nodes,
        Map<String, List<Node>> virtualClusters) {

    /**
     * What a policy does.
     *
     * @param byCluster of each virtual cluster
     */
    public record Outcome(Schedule whole, Map<String, Schedule> byCluster) {}

    public Experiment {
        jobs = relevant(jobs, placement);
    }

    /** All jobs share the nodes. */
    public Experiment(List<Job> jobs, Placement placement, List<Node> nodes) {
        this(jobs, placement, nodes, Map.of());
    }

    public Outcome run(PolicyChoice policy) {
        return virtualClusters.isEmpty()
                ? new Outcome(Replay.run(jobs, placement.pool(nodes), policy), Map.of())
                : runByCluster(policy);
    }

    /** Each virtual cluster has its own queue. A job of no cluster is rejected. */
    private Outcome runByCluster(PolicyChoice policy) {
        var jobsOf = new HashMap<String, List<Job>>();
        jobs.forEach(job -> jobsOf.computeIfAbsent(job.group(), _ -> new ArrayList<>()).add(job));
        var byCluster = new LinkedHashMap<String, Schedule>();
        virtualClusters.forEach(
                (name, own) ->
                        byCluster.put(
                                name,
                                Replay.run(
                                        jobsOf.getOrDefault(name, List.of()),
                                        placement.pool(own),
                                        policy)));
        var all = new ArrayList<ScheduledJob>();
        byCluster.values().forEach(schedule -> all.addAll(schedule.jobs()));
        all.sort(Comparator.comparingInt(scheduled -> scheduled.job().row()));
        long gpus = byCluster.values().stream().mapToLong(Schedule::gpus).sum();
        return new Outcome(new Schedule(all, jobs.size() - all.size(), gpus), byCluster);
    }

    /** One object for equal needs: pools compare them by identity. */
    private static List<Job> relevant(List<Job> jobs, Placement placement) {
        var known = new HashMap<JobNeed, JobNeed>();
        UnaryOperator<JobNeed> same =
                need -> known.computeIfAbsent(placement.relevant(need), first -> first);
        return jobs.stream().map(job -> job.with(same.apply(job.need()))).toList();
    }
}
