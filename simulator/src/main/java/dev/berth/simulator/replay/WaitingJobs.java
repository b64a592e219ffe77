package dev.berth.simulator.replay;

import dev.berth.simulator.trace.Job;
import dev.berth.simulator.trace.JobNeed;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The queue: jobs in the order of a policy, also by need. A job's rank is its place in it. */
final class WaitingJobs {

    static final int NONE = -1;

    /** The jobs of one need. */
    static final class SameNeed {
        private final JobNeed need;
        private final int[] ranks;
        private final ShortestFinder waiting;

        private SameNeed(JobNeed need, List<Integer> ranks) {
            this.need = need;
            this.ranks = ranks.stream().mapToInt(rank -> rank).toArray();
            this.waiting = new ShortestFinder(ranks.size());
        }

        JobNeed need() {
            return need;
        }

        /** The rank of the first waiting job behind this rank that takes at most that long. */
        int first(int behind, long longest) {
            int found = waiting.first(positionAfter(behind), longest);
            return found < 0 ? NONE : ranks[found];
        }

        private int positionAfter(int rank) {
            int low = 0;
            int high = ranks.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (ranks[middle] <= rank) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }

    private final List<Job> inOrder;
    private final Map<Job, Integer> ranks = new IdentityHashMap<>();
    private final ShortestFinder all;
    private final List<SameNeed> byNeed = new ArrayList<>();
    private final SameNeed[] needOf;

    WaitingJobs(List<Job> jobs, Comparator<Job> order) {
        inOrder = jobs.stream().sorted(order).toList();
        all = new ShortestFinder(inOrder.size());
        var grouped = new LinkedHashMap<JobNeed, List<Integer>>();
        for (int rank = 0; rank < inOrder.size(); rank++) {
            ranks.put(inOrder.get(rank), rank);
            grouped.computeIfAbsent(inOrder.get(rank).need(), _ -> new ArrayList<>()).add(rank);
        }
        needOf = new SameNeed[inOrder.size()];
        grouped.forEach(this::group);
    }

    private void group(JobNeed need, List<Integer> ranksOfNeed) {
        var same = new SameNeed(need, ranksOfNeed);
        byNeed.add(same);
        ranksOfNeed.forEach(rank -> needOf[rank] = same);
    }

    Job job(int rank) {
        return inOrder.get(rank);
    }

    List<SameNeed> byNeed() {
        return byNeed;
    }

    void add(Job job) {
        set(ranks.getOrDefault(job, NONE), job.durationS());
    }

    void remove(int rank) {
        set(rank, ShortestFinder.ABSENT);
    }

    private void set(int rank, long duration) {
        all.set(rank, duration);
        var same = needOf[rank];
        same.waiting.set(same.positionAfter(rank) - 1, duration);
    }

    /** The rank of the first waiting job. */
    int head() {
        return all.first(0, Long.MAX_VALUE - 1);
    }
}
