package dev.berth.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.simulator.cluster.CountPool;
import dev.berth.simulator.cluster.Node;
import dev.berth.simulator.cluster.Placement;
import dev.berth.simulator.cluster.Pool;
import dev.berth.simulator.trace.Job;
import dev.berth.simulator.trace.JobNeed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

class ReplayTest {

    private static final int SEEDS = 150;

    @ParameterizedTest
    @EnumSource(
            value = Policy.class,
            names = {"BERTH"},
            mode = EnumSource.Mode.EXCLUDE)
    void startsWhatTheRulesSayWordByWord(Policy policy) {
        for (var placement : Placement.values()) {
            for (int seed = 0; seed < SEEDS; seed++) {
                var random = new Random(seed);
                var nodes = nodes(random);
                var jobs = jobs(random, placement);

                assertThat(starts(Replay.run(jobs, placement.pool(nodes), PolicyChoice.of(policy))))
                        .as("%s, %s, seed %d", policy, placement, seed)
                        .isEqualTo(literal(placement.pool(nodes), policy, jobs));
            }
        }
    }

    @Test
    void aShortJobPassesABlockedHeadAndALongOneDoesNot() {
        var jobs = List.of(job(0, 0, 100, 3), job(1, 1, 50, 4), job(2, 2, 98, 1), job(3, 3, 98, 1));

        var starts = starts(Replay.run(jobs, new CountPool(4), PolicyChoice.of(Policy.EASY)));

        assertThat(starts)
                .containsExactly(
                        Map.entry(0, 0L), Map.entry(1, 100L), Map.entry(2, 2L), Map.entry(3, 150L));
    }

    @Test
    void aJobThatNeverFitsIsRejectedAndBlocksNothing() {
        var schedule =
                Replay.run(
                        List.of(job(0, 0, 10, 5), job(1, 0, 10, 4)),
                        new CountPool(4),
                        PolicyChoice.of(Policy.FIFO));

        assertThat(schedule.rejected()).isEqualTo(1);
        assertThat(starts(schedule)).containsExactly(Map.entry(1, 0L));
    }

    private static <G> Map<Integer, Long> literal(Pool<G> pool, Policy policy, List<Job> jobs) {
        return new LiteralReplay<>(pool, policy).run(jobs);
    }

    private static Map<Integer, Long> starts(Schedule schedule) {
        var starts = new TreeMap<Integer, Long>();
        schedule.jobs().forEach(one -> starts.put(one.job().row(), one.startS()));
        return starts;
    }

    private static Job job(int row, long submitS, long durationS, int gpus) {
        return new Job(row, "job" + row, "", "", submitS, durationS, JobNeed.ofGpus(gpus));
    }

    private static List<Node> nodes(Random random) {
        var nodes = new ArrayList<Node>();
        for (int node = 0; node <= random.nextInt(4); node++) {
            nodes.add(
                    new Node(
                            1 + random.nextInt(4),
                            4000L + random.nextInt(4000),
                            1000,
                            random.nextBoolean() ? "A" : "B"));
        }
        return nodes;
    }

    private static List<Job> jobs(Random random, Placement placement) {
        var needs = new ArrayList<JobNeed>();
        for (int kind = 0; kind < 6; kind++) {
            int gpus = random.nextInt(random.nextBoolean() ? 3 : 9);
            needs.add(
                    placement.relevant(
                            new JobNeed(
                                    gpus,
                                    gpus == 1 ? 200 + 200 * random.nextInt(5) : JobNeed.WHOLE,
                                    random.nextInt(5000),
                                    random.nextInt(600),
                                    random.nextInt(3) == 0 ? List.of("A") : List.of())));
        }
        var jobs = new ArrayList<Job>();
        long submitS = 0;
        for (int row = 0; row < 30; row++) {
            submitS += random.nextInt(4);
            var need = needs.get(random.nextInt(needs.size()));
            jobs.add(new Job(row, "" + row, "", "", submitS, 1 + random.nextInt(20), need));
        }
        return jobs;
    }
}
