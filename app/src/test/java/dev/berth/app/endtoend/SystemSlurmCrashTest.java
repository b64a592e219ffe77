package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Tasks of two users on a Slurm cluster, while node, server and controller are killed. */
final class SystemSlurmCrashTest {

    private static final long SEED = Long.getLong("berth.soak.seed", 20_261_117L);
    private static final int USERS = 2;

    private final Random random = new Random(SEED);
    private final Map<Long, Integer> codes = new TreeMap<>();
    private final Map<String, Integer> owners = new TreeMap<>();

    @Test
    @Tag("slow")
    void tasksSurviveKillsOfEitherHalfAndOfTheController(TestReporter reporter) throws Exception {
        loop(reporter, 24, 9);
    }

    @Test
    @Tag("soak-slurm")
    void manyTasksOfUsersSurviveManyKills(TestReporter reporter) throws Exception {
        loop(
                reporter,
                Integer.getInteger("berth.soak.user-tasks", 120),
                Integer.getInteger("berth.soak.user-kills", 30));
    }

    private void loop(TestReporter reporter, int tasks, int kills) throws Exception {
        reporter.publishEntry("seed", Long.toString(SEED));
        try (var slurm = SystemSlurmHarness.start(USERS, 0)) {
            var times = new SlurmTimeline(slurm.system().sharedFile("times"));
            var uids = slurm.system().sharedFile("uids");
            int killed = 0;
            for (int i = 0; i < tasks; i++) {
                submit(slurm, times, uids, i);
                if (killed < (i + 1) * kills / tasks) {
                    kill(slurm, killed);
                    killed++;
                }
            }
            slurm.system().awaitNode();
            slurm.system().server().awaitReady();
            judge(slurm, times, uids);
        }
    }

    private void submit(SystemSlurmHarness slurm, SlurmTimeline times, Path uids, int i) {
        int code = i % 5 == 0 ? 3 : 0;
        var owner = slurm.machine().user(i % USERS);
        var name = "task" + i;
        var work = "echo %s $UID >>%s; sleep 0.%d".formatted(name, uids, random.nextInt(10));
        var order =
                times.recordedTask(name, random.nextInt(3), work, code)
                        .key("key" + i)
                        .with("work_dir", "/")
                        .with("owner", owner.name());
        codes.put(AcknowledgedSubmit.submit(slurm.system()::api, order), code);
        owners.put(name, owner.uid());
    }

    /** At any moment of the hand-over: it follows within a second. */
    private void kill(SystemSlurmHarness slurm, int number) {
        var system = slurm.system();
        var pause = Duration.ofMillis(random.nextInt(800));
        switch (number % 3) {
            case 0 -> {
                assertThat(system.node().endsWithin(pause)).isFalse();
                system.node().kill();
                system.launchNode();
            }
            case 1 -> {
                system.awaitNode();
                assertThat(system.server().endsWithin(pause)).isFalse();
                system.server().kill();
                system.launchServer();
                system.server().awaitReady();
            }
            default -> {
                assertThat(system.server().endsWithin(pause)).isFalse();
                slurm.cluster().killController();
                slurm.cluster().startController();
            }
        }
    }

    private void judge(SystemSlurmHarness slurm, SlurmTimeline times, Path uids)
            throws IOException {
        times.assertAllEndedOnce(slurm.system().api(), codes);
        assertThat(Files.readAllLines(uids))
                .map(line -> line.split(" ", 2))
                .allSatisfy(
                        line -> assertThat(line[1]).isEqualTo(String.valueOf(owners.get(line[0]))));
    }
}
