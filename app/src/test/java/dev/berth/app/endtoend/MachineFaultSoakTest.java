package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.app.endtoend.MachineFaults.Effect;
import dev.berth.app.endtoend.MachineFaults.Fault;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Faults of the machine in random order under load: no task fails by them, every fault of starts
 * raises one alert and one when it is over, what is acknowledged is kept, and no wrong clock is
 * seen in creation times.
 */
@ExtendWith(ServerHarnessExtension.class)
final class MachineFaultSoakTest {

    private static final long SEED = Long.getLong("berth.soak.seed", 20_261_116L);

    /** So many tasks cannot all start in shims that were started before the fault. */
    private static final int MORE_THAN_SPARES = 20;

    private static final long MINUTES = Long.getLong("berth.soak.minutes", 10L);
    private static final Duration RESUMED_WITHIN = Duration.ofMinutes(4);
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(5);

    /** A store that fails for a shorter time raises no alert. */
    private static final Duration UNWRITABLE = Duration.ofSeconds(8);

    private final Random random = new Random(SEED);
    private final List<Long> tasks = new ArrayList<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private int refused;
    private TestApi api;

    @Test
    @Tag("soak-machine")
    void noTaskFailsByFaultsOfTheMachine(ServerHarness harness) throws Exception {
        assumeTrue(MachineFaults.areAllowed(), "needs root, to mount disks and change them");
        var faults = new MachineFaults(harness);
        faults.prepare();
        api = harness.start();
        var begun = Instant.now();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
        var next = new ArrayDeque<Fault>();
        while (System.nanoTime() < end) {
            if (next.isEmpty()) {
                var order = new ArrayList<>(faults.all());
                Collections.shuffle(order, random);
                next.addAll(order);
            }
            run(next.remove());
        }
        judge(begun);
        System.out.printf(
                "seed %d, %d minutes, %d tasks completed, %d submits refused, faults %s%n",
                SEED, MINUTES, tasks.size(), refused, counts);
    }

    private void run(Fault fault) throws Exception {
        System.out.println(LocalTime.now(ZoneId.systemDefault()) + " " + fault.name());
        submit(5);
        var before = Alerts.of(api);
        fault.begin().run();
        counts.merge(fault.name(), 1, Integer::sum);
        boolean isStopped = fault.name().equals("stopped");
        if (fault.effect() == Effect.REFUSES_SUBMITS) {
            submitUntilRefused();
        } else if (!isStopped) {
            submit(MORE_THAN_SPARES);
        }
        boolean isPause = fault.effect() == Effect.PAUSES_STARTS;
        if (isPause) {
            eventually(
                    "an alert for " + fault.name(),
                    () -> Alerts.of(api).pauses() == before.pauses() + 1);
        }
        TimeUnit.SECONDS.sleep(isStopped ? 60 : 1 + random.nextInt(5));
        fault.end().run();
        submitAfter(fault);
        var expected = before.plus(fault.effect());
        eventually(
                RESUMED_WITHIN,
                "the end of " + fault.name(),
                () -> Alerts.of(api).ends() == expected.ends());
        assertThat(Alerts.of(api)).as("alerts for %s", fault.name()).isEqualTo(expected);
    }

    /** How often starts paused and resumed, and the database became writable again. */
    private record Alerts(int pauses, int resumes, int writable) {

        static Alerts of(TestApi api) {
            return new Alerts(
                    count(api, "alert.starts_paused", "alert.disk_low"),
                    count(api, "alert.starts_resumed", "alert.disk_recovered"),
                    count(api, "alert.store_writable"));
        }

        private static int count(TestApi api, String... kinds) {
            return Stream.of(kinds).mapToInt(kind -> api.events(kind).size()).sum();
        }

        int ends() {
            return resumes + writable;
        }

        Alerts plus(Effect effect) {
            return switch (effect) {
                case PAUSES_STARTS -> new Alerts(pauses + 1, resumes + 1, writable);
                case REFUSES_SUBMITS -> new Alerts(pauses, resumes, writable + 1);
                case NONE -> this;
            };
        }
    }

    private void submit(int count) {
        for (int i = 0; i < count; i++) {
            tasks.add(api.submit(TaskBuilder.cpu("sleep 0." + random.nextInt(10))));
        }
    }

    /**
     * Sends scripts that do not fit into the space that the database has already allocated, and
     * goes on until the server has refused for long enough to raise an alert.
     */
    private void submitUntilRefused() throws InterruptedException {
        var order = TaskBuilder.cpu("true # " + "x".repeat(500_000));
        int refusedBefore = refused;
        long end = Long.MAX_VALUE;
        while (System.nanoTime() < end) {
            var reply = api.client().post("/api/tasks", order.body());
            if (reply.status() == 201) {
                tasks.add(reply.json().path("id").asLong());
            } else {
                assertThat(reply.status()).as("%s", reply).isIn(503, 507);
                if (refused++ == refusedBefore) {
                    end = System.nanoTime() + UNWRITABLE.toNanos();
                }
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    private void submitAfter(Fault fault) {
        eventually(
                RESUMED_WITHIN,
                "a submit after " + fault.name(),
                () -> {
                    var reply =
                            api.client().post("/api/tasks", TaskBuilder.cpu("sleep 0.1").body());
                    if (reply.status() == 201) {
                        tasks.add(reply.json().path("id").asLong());
                    }
                    return reply.status() == 201;
                });
        long last = tasks.getLast();
        eventually(RESUMED_WITHIN, "resumes after " + fault.name(), () -> isOver(last));
    }

    private boolean isOver(long task) {
        return !List.of("queued", "running").contains(api.status(task));
    }

    private void judge(Instant begun) {
        for (long id : tasks) {
            eventually(RESUMED_WITHIN, "task " + id, () -> isOver(id));
            var task = api.task(id);
            assertThat(task.path("status").asString()).as("task %d", id).isEqualTo("completed");
            assertThat(Instant.parse(task.path("created_at").asString()))
                    .isBetween(begun.minus(CLOCK_TOLERANCE), Instant.now().plus(CLOCK_TOLERANCE));
        }
        assertThat(api.events("task.failed")).isEmpty();
        var ids = tasks.stream().sorted(Comparator.naturalOrder()).toList();
        assertThat(tasks).isEqualTo(ids).doesNotHaveDuplicates();
        assertThat(api.client().get("/api/health").status()).isEqualTo(200);
    }
}
