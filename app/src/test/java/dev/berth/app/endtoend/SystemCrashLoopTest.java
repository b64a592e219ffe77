package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toMap;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Tasks of three users, while the node and the server are killed at random moments. */
final class SystemCrashLoopTest {

    private static final long SEED = Long.getLong("berth.soak.seed", 20_261_117L);
    private static final Duration SUBMITTED_WITHIN = Duration.ofMinutes(5);
    private static final int USERS = 3;

    private final AtomicInteger kills = new AtomicInteger();
    private final List<TestAccounts.Account> owners = new ArrayList<>();

    @Test
    @Tag("slow")
    void tasksSurviveKillsOfEitherHalf(TestReporter reporter) throws Exception {
        loop(reporter, 40, 12);
    }

    @Test
    @Tag("soak-system")
    void manyTasksSurviveHundredsOfKills(TestReporter reporter) throws Exception {
        loop(
                reporter,
                Integer.getInteger("berth.soak.tasks", 1000),
                Integer.getInteger("berth.soak.kills", 200));
    }

    private void loop(TestReporter reporter, int tasks, int wanted) throws Exception {
        reporter.publishEntry("seed", Long.toString(SEED));
        try (var harness = SystemHarness.start("sim:8x24576", USERS);
                var submitter = Executors.newSingleThreadExecutor()) {
            var system = harness.processes();
            owners.addAll(harness.users());
            var times = new GpuTimeline(system.sharedFile("times"));
            var uids = system.sharedFile("uids");
            var submitted = submitter.submit(() -> submitAll(system, times, uids, tasks, wanted));
            killing(system, wanted);
            judge(system, times, uids, submitted.get());
        }
    }

    private List<Long> submitAll(
            SystemProcesses system, GpuTimeline times, Path uids, int tasks, int wanted) {
        var random = new Random(SEED);
        return IntStream.range(0, tasks)
                .mapToObj(
                        i -> {
                            eventually(
                                    SUBMITTED_WITHIN,
                                    "kill " + i * wanted / tasks,
                                    () -> kills.get() >= i * wanted / tasks);
                            var work =
                                    "echo task%d $UID >> %s\nsleep 0.%03d"
                                            .formatted(i, uids, random.nextInt(600));
                            var order =
                                    times.recordedTask(
                                                    "task" + i,
                                                    random.nextInt(8) == 0 ? 0 : 1,
                                                    work)
                                            .key("key" + i)
                                            .with("work_dir", "/")
                                            .with("owner", owners.get(i % USERS).name());
                            return AcknowledgedSubmit.submit(system::api, order);
                        })
                .toList();
    }

    private void killing(SystemProcesses system, int wanted) {
        var random = new Random(SEED + 1);
        while (kills.get() < wanted) {
            boolean isNode = random.nextBoolean();
            var victim = isNode ? system.node() : system.server();
            assertThat(victim.endsWithin(Duration.ofMillis(random.nextInt(700))))
                    .as(
                            "the %s ended before kill %d, seed %d%n%s",
                            isNode ? "node" : "server", kills.get() + 1, SEED, victim.outputTail())
                    .isFalse();
            victim.kill();
            kills.incrementAndGet();
            if (isNode) {
                system.launchNode();
                // Every other node lives long enough to be found by the server.
                if (random.nextBoolean()) {
                    system.awaitNode();
                }
            } else {
                var server = system.launchServer();
                if (random.nextInt(4) != 0) {
                    system.node();
                    server.awaitReady();
                }
            }
        }
        system.awaitNode();
        system.server().awaitReady();
    }

    private void judge(SystemProcesses system, GpuTimeline times, Path uids, List<Long> ids)
            throws IOException {
        var api = system.api();
        assertThat(ids).doesNotHaveDuplicates();
        assertThat(ids.stream().map(api::awaitEnd).toList())
                .as("seed %d", SEED)
                .allSatisfy(
                        task ->
                                assertThat(task.path("status").asString())
                                        .as("%s", task)
                                        .isEqualTo("completed"));
        var once = IntStream.range(0, ids.size()).boxed().collect(toMap(i -> "task" + i, _ -> 1));
        assertThat(times.starts()).containsExactlyInAnyOrderEntriesOf(once);
        assertThat(times.ends()).containsExactlyInAnyOrderEntriesOf(once);
        times.assertNoAttemptRanTwice();
        times.assertNoTwoTasksWereOnOneGpu();
        var ownUid = new TreeMap<String, String>();
        for (int i = 0; i < ids.size(); i++) {
            ownUid.put("task" + i, Integer.toString(owners.get(i % USERS).uid()));
        }
        assertThat(Files.readAllLines(uids))
                .map(line -> line.split(" ", 2))
                .allSatisfy(line -> assertThat(line[1]).isEqualTo(ownUid.get(line[0])));
        eventually(
                "no process of a task is left",
                () ->
                        SystemProcesses.processesOf(
                                        owners.stream().map(TestAccounts.Account::uid).toList())
                                .isEmpty());
        assertThat(Files.readString(system.journal()))
                .contains("started attempt=" + ids.getLast() + ".");
    }
}
