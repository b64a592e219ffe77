package dev.berth.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.queue.QueueOrder;
import dev.berth.simulator.cluster.CountPool;
import dev.berth.simulator.result.StartsHash;
import dev.berth.simulator.trace.InvalidInput;
import dev.berth.simulator.trace.Job;
import dev.berth.simulator.trace.JobNeed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Berth's own planner against the policies that it should equal with such rules. */
class PlannerPassTest {

    private static final int GPUS = 6;
    private static final int SEEDS = 40;

    @ParameterizedTest
    @CsvSource({
        "berth:fifo:off,fifo",
        "berth:priority:off,fifo",
        "berth:fifo:greedy,fifo-skip",
        "berth:fifo:safe:limits,easy",
        "berth:priority:safe:limits,easy",
        "berth:shortest_first:off:limits,sjf",
        "berth:shortest_first:greedy:limits,sjf-skip"
    })
    void startsAsTheReferencePolicy(String berth, String reference) throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            var jobs = jobs(new Random(seed));

            assertThat(hash(jobs, berth)).as("seed " + seed).isEqualTo(hash(jobs, reference));
        }
    }

    @Test
    void fairShareLetsTheOtherUserGoFirst() throws Exception {
        var jobs =
                List.of(
                        job(0, "ann", 0, 100, GPUS),
                        job(1, "ann", 1, 100, GPUS),
                        job(2, "bob", 2, 100, GPUS));

        var schedule =
                Replay.run(jobs, new CountPool(GPUS), PolicyChoice.parse("berth:fair_share:off"));

        assertThat(schedule.jobs())
                .extracting(ScheduledJob::startS)
                .containsExactly(0L, 200L, 100L);
    }

    @Test
    void learnsFromEndedJobsHowLongOthersRun() throws Exception {
        var jobs = new ArrayList<Job>();
        for (int row = 0; row < 10; row++) {
            jobs.add(row < 5 ? like(row, "long", 0, 1000, 3) : like(row, "short", 4000, 10, 1));
        }
        jobs.add(like(10, "long", 5000, 1000, 3));
        jobs.add(like(11, "head", 5001, 100, GPUS));
        jobs.add(like(12, "short", 5002, 10, 1));
        jobs.add(like(13, "new", 5003, 10, 1));

        var schedule = Replay.run(jobs, new CountPool(GPUS), PolicyChoice.parse("berth:priority"));

        assertThat(schedule.jobs().subList(10, 14))
                .extracting(ScheduledJob::startS)
                .as("the short one passes the head, the one without earlier runs does not")
                .containsExactly(5000L, 6000L, 5002L, 6100L);
        assertThat(schedule.predictions()).contains(new Predictions(2, 2, 2));
    }

    /** More short jobs than the machine can run, for longer than any job may be passed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "berth",
                "berth:fifo:greedy",
                "berth:priority:greedy",
                "berth:smallest_first:safe",
                "berth:smallest_first:off",
                "berth:shortest_first:safe",
                "berth:shortest_first:off",
                "berth:shortest_first:greedy"
            })
    void noJobWaitsForEver(String policy) throws Exception {
        var jobs = new ArrayList<Job>();
        jobs.add(like(0, "large", 3_000, 7_200, GPUS));
        for (int row = 1; row <= 2_000; row++) {
            jobs.add(like(row, "short", row * 500L, 3_600, 1));
        }

        var schedule = Replay.run(jobs, new CountPool(GPUS), PolicyChoice.parse(policy));

        long waitS = schedule.jobs().getFirst().startS() - 3_000;
        assertThat(waitS).isLessThanOrEqualTo(QueueOrder.MAX_PASSED.toSeconds() + 2 * 3_600);
    }

    @Test
    void theJobThatIsExpectedToTakeLeastGoesFirst() throws Exception {
        var jobs =
                List.of(
                        like(0, "long", 0, 1000, GPUS),
                        like(1, "short", 1, 10, GPUS),
                        like(2, "long", 2000, 1000, GPUS),
                        like(3, "long", 2001, 1000, GPUS),
                        like(4, "short", 2002, 10, GPUS));

        var schedule = Replay.run(jobs, new CountPool(GPUS), PolicyChoice.of(Policy.BERTH));

        assertThat(schedule.jobs())
                .extracting(ScheduledJob::startS)
                .containsExactly(0L, 1000L, 2000L, 3010L, 3000L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "best", "fifo:off", "berth:best", "berth:fifo:best", "berth:fifo:off:c"})
    void refusesUnknownPoliciesAndRules(String name) {
        assertThatThrownBy(() -> PolicyChoice.parse(name)).isInstanceOf(InvalidInput.class);
    }

    private static String hash(List<Job> jobs, String policy) throws InvalidInput {
        var schedule = Replay.run(jobs, new CountPool(GPUS), PolicyChoice.parse(policy));
        return StartsHash.of(schedule.jobs());
    }

    private static List<Job> jobs(Random random) {
        var jobs = new ArrayList<Job>();
        long submitS = 0;
        for (int row = 0; row < 60; row++) {
            submitS += random.nextInt(5);
            // Berth has a queue of its own for jobs without a GPU. Those with too many are
            // rejected.
            jobs.add(job(row, "", submitS, 1 + random.nextInt(20), 1 + random.nextInt(GPUS + 1)));
        }
        return jobs;
    }

    private static Job like(int row, String kind, long submitS, long durationS, int gpus) {
        return new Job(row, "" + row, "ann", kind, submitS, durationS, JobNeed.ofGpus(gpus));
    }

    private static Job job(int row, String user, long submitS, long durationS, int gpus) {
        return new Job(row, "" + row, user, "", submitS, durationS, JobNeed.ofGpus(gpus));
    }
}
