package dev.berth.app.live;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toMap;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A server that is killed again and again, at any moment, while tasks come, run and end. */
@ExtendWith(Worlds.class)
final class CrashLoopTest {

    private static final long SEED = Long.getLong("berth.soak.seed", 20_260_214L);
    private static final Duration SUBMITTED_WITHIN = Duration.ofMinutes(5);

    private final AtomicInteger kills = new AtomicInteger();

    @Test
    @Tag("slow")
    void shortTasksSurviveManyKills(World world, TestReporter reporter) throws Exception {
        loop(world, reporter, 200, 30);
    }

    @Test
    @Tag("soak-crash")
    void manyTasksSurviveHundredsOfKills(World world, TestReporter reporter) throws Exception {
        loop(
                world,
                reporter,
                Integer.getInteger("berth.soak.tasks", 1000),
                Integer.getInteger("berth.soak.kills", 200));
    }

    private void loop(World world, TestReporter reporter, int tasks, int wanted) throws Exception {
        reporter.publishEntry("seed", Long.toString(SEED));
        var times = new CardTimes(world.file("times"));
        world.start();
        try (var submitter = Executors.newSingleThreadExecutor()) {
            var submitted = submitter.submit(submitting(world, times, tasks, wanted));
            killing(world, wanted);
            judge(world.start(), world, times, submitted.get());
        }
    }

    /** Submits evenly over the kills, each task until it is acknowledged, and gives their ids. */
    private Callable<List<Long>> submitting(World world, CardTimes times, int tasks, int wanted) {
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
                                            times.order(
                                                    "task" + i,
                                                    random.nextInt(10) == 0
                                                            ? 2
                                                            : random.nextInt(8) == 0 ? 0 : 1,
                                                    work);
                                    return acknowledged(world, order.key("key" + i));
                                })
                        .toList();
    }

    private static long acknowledged(World world, Order order) {
        return present(
                SUBMITTED_WITHIN,
                order.name() + " is acknowledged",
                () -> {
                    try {
                        // By the home's own socket: the port of a server that was killed may be
                        // another one's by now.
                        return Optional.of(world.socket().submit(order));
                    } catch (UncheckedIOException _) {
                        // Killed before it could answer: nobody knows whether it was kept, so the
                        // same key asks again.
                        return Optional.empty();
                    }
                });
    }

    private void killing(World world, int wanted) {
        var random = new Random(SEED + 1);
        while (kills.get() < wanted) {
            assertThat(world.server().endsWithin(Duration.ofMillis(random.nextInt(400)))).isFalse();
            world.kill();
            // One life in four does not get as far as being ready.
            if (kills.incrementAndGet() < wanted && random.nextInt(4) == 0) {
                var young = world.launch();
                assertThat(young.endsWithin(Duration.ofMillis(200 + random.nextInt(700))))
                        .isFalse();
                world.kill();
                kills.incrementAndGet();
            }
            if (kills.get() < wanted) {
                world.start();
            }
        }
    }

    private static void judge(Api api, World world, CardTimes times, List<Long> ids) {
        assertThat(ids).doesNotHaveDuplicates();
        var ends = ids.stream().map(api::awaitFinal).toList();
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
        times.assertNoTwoTasksWereOnOneCard();
        assertThat(api.holders()).isEmpty();
        assertThat(world.strays()).isEmpty();
    }
}
