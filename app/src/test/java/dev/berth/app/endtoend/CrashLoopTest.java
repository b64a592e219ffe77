package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toMap;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A server that is killed repeatedly at random moments while tasks are submitted, run and end. Two
 * servers in three use the native shim, so attempts of one shim are adopted by servers of the
 * other.
 */
@ExtendWith(ServerHarnessExtension.class)
final class CrashLoopTest {

    private static final long SEED = Long.getLong("berth.soak.seed", 20_260_214L);
    private static final Duration SUBMITTED_WITHIN = Duration.ofMinutes(5);

    private final AtomicInteger kills = new AtomicInteger();

    @Test
    @Tag("slow")
    void shortTasksSurviveManyKills(ServerHarness harness, TestReporter reporter) throws Exception {
        loop(harness, reporter, 200, 30);
    }

    @Test
    @Tag("soak-crash")
    void manyTasksSurviveHundredsOfKills(ServerHarness harness, TestReporter reporter)
            throws Exception {
        loop(
                harness,
                reporter,
                Integer.getInteger("berth.soak.tasks", 1000),
                Integer.getInteger("berth.soak.kills", 200));
    }

    private void loop(ServerHarness harness, TestReporter reporter, int tasks, int wanted)
            throws Exception {
        reporter.publishEntry("seed", Long.toString(SEED));
        var times = new GpuTimeline(harness.file("times"));
        harness.start();
        try (var submitter = Executors.newSingleThreadExecutor()) {
            var submitted = submitter.submit(submitting(harness, times, tasks, wanted));
            killing(harness, wanted);
            judge(harness.start(), harness, times, submitted.get());
        }
    }

    /**
     * Submits at an even rate during the kills, repeats each task until it is acknowledged, and
     * returns the ids.
     */
    private Callable<List<Long>> submitting(
            ServerHarness harness, GpuTimeline times, int tasks, int wanted) {
        var random = new Random(SEED);
        return () ->
                IntStream.range(0, tasks)
                        .mapToObj(
                                i -> {
                                    eventually(
                                            SUBMITTED_WITHIN,
                                            "kill " + i * wanted / tasks,
                                            () -> kills.get() >= i * wanted / tasks);
                                    var work = "sleep 0.%03d".formatted(random.nextInt(600));
                                    var order =
                                            times.recordedTask(
                                                    "task" + i,
                                                    random.nextInt(10) == 0
                                                            ? 2
                                                            : random.nextInt(8) == 0 ? 0 : 1,
                                                    work);
                                    return AcknowledgedSubmit.submit(
                                            harness::socket, order.key("key" + i));
                                })
                        .toList();
    }

    private void killing(ServerHarness harness, int wanted) {
        var random = new Random(SEED + 1);
        while (kills.get() < wanted) {
            assertThat(harness.server().endsWithin(Duration.ofMillis(random.nextInt(400))))
                    .isFalse();
            harness.kill();
            harness.env("BERTH_SHIM", random.nextInt(3) == 0 ? "bash" : "auto");
            // One start in four is killed before it is ready.
            if (kills.incrementAndGet() < wanted && random.nextInt(4) == 0) {
                var young = harness.launch();
                assertThat(young.endsWithin(Duration.ofMillis(200 + random.nextInt(700))))
                        .isFalse();
                harness.kill();
                kills.incrementAndGet();
            }
            if (kills.get() < wanted) {
                harness.start();
            }
        }
    }

    private static void judge(
            TestApi api, ServerHarness harness, GpuTimeline times, List<Long> ids) {
        assertThat(ids).doesNotHaveDuplicates();
        var ends = ids.stream().map(api::awaitEnd).toList();
        assertThat(ends)
                .as("seed %d", SEED)
                .allSatisfy(
                        task ->
                                assertThat(task.path("status").asString())
                                        .as("%s", task)
                                        .isEqualTo("completed"));
        assertThat(api.tasks()).hasSameSizeAs(ids);
        var once = IntStream.range(0, ids.size()).boxed().collect(toMap(i -> "task" + i, _ -> 1));
        assertThat(times.starts()).containsExactlyInAnyOrderEntriesOf(once);
        assertThat(times.ends()).containsExactlyInAnyOrderEntriesOf(once);
        times.assertNoAttemptRanTwice();
        times.assertNoTwoTasksWereOnOneGpu();
        assertThat(api.holders()).isEmpty();
        assertThat(harness.leftovers()).isEmpty();
    }
}
