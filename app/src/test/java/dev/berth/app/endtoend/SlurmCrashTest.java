package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Slurm's controller and the server are killed at random moments while tasks are submitted, run and
 * end. Slurm forgets jobs and gives their ids to others meanwhile.
 */
@ExtendWith(ServerHarnessExtension.class)
final class SlurmCrashTest {

    private static final long SEED = Long.getLong("berth.soak.seed", 20_261_117L);
    private static final Duration SUBMITTED_WITHIN = Duration.ofMinutes(5);
    private static final int[] CODES = {0, 0, 0, 0, 3, 7};
    private static final int[] GPUS = {1, 1, 1, 2, 4, 0};

    private final Random random = new Random(SEED);
    private final Map<Long, Integer> codes = new TreeMap<>();

    private enum Kill {
        /** At any moment. */
        CONTROLLER,
        /** Right after Slurm acknowledged a job. */
        CONTROLLER_AFTER_SUBMIT,
        SERVER
    }

    @Test
    @Tag("slow")
    void tasksSurviveSomeKills(ServerHarness harness, TestReporter reporter) throws Exception {
        loop(harness, reporter, 40, 4, 3);
    }

    @Test
    @Tag("soak-slurm")
    void manyTasksSurviveManyKills(ServerHarness harness, TestReporter reporter) throws Exception {
        loop(
                harness,
                reporter,
                Integer.getInteger("berth.soak.tasks", 500),
                Integer.getInteger("berth.soak.controller-kills", 20),
                Integer.getInteger("berth.soak.server-kills", 20));
    }

    @Test
    @Tag("soak-slurm")
    void aTaskOnANodeWithoutSlurmdRunsOnce(ServerHarness harness) throws Exception {
        var dead = Duration.ofSeconds(Integer.getInteger("berth.soak.node-seconds", 120));
        try (var slurm = SlurmHarness.start(harness, Map.of("CLUSTER_CONF", "SlurmdTimeout=10"))) {
            var api = harness.start();
            var begun = harness.file("begun");
            var gate = harness.file("gate");
            long id =
                    api.submit(
                            TaskBuilder.oneGpu(
                                    "echo begun >>%s; until [ -e %s ]; do sleep 0.1; done; exit 6"
                                            .formatted(begun, gate)));
            api.awaitPhase(id, "running");
            var node = api.task(id).path("attempts").get(0).path("node").asString();
            slurm.cluster().killNode(node);
            eventually(
                    dead,
                    "Slurm calls it failed",
                    () ->
                            slurm.cluster()
                                    .command("squeue", "-h", "-t", "all", "-o", "%T")
                                    .contains("NODE_FAIL"));
            api.awaitPhase(id, "lost");
            assertThat(harness.server().endsWithin(dead)).isFalse();
            assertThat(api.status(id)).isEqualTo("running");
            assertThat(api.phase(id)).isEqualTo("lost");
            Files.createFile(gate);
            assertThat(api.awaitEnd(id).path("exit_code").asInt()).isEqualTo(6);
            slurm.cluster().startNode(node);
            assertThat(Files.readAllLines(begun)).hasSize(1);
        }
    }

    private void loop(
            ServerHarness harness,
            TestReporter reporter,
            int tasks,
            int controllerKills,
            int serverKills)
            throws Exception {
        try (var slurm = SlurmHarness.start(harness)) {
            long begin = System.nanoTime();
            var times = new SlurmTimeline(harness.file("times"));
            harness.start();
            var kills = kills(controllerKills, serverKills);
            int total = kills.size();
            for (int i = 0; i < tasks; i++) {
                // All kills, evenly between the submits.
                boolean isDue = total - kills.size() < (long) (i + 1) * total / tasks;
                if (isDue && kills.getLast() == Kill.CONTROLLER_AFTER_SUBMIT) {
                    slurm.cluster().killControllerAfterNextSubmit();
                }
                submit(harness, times, i);
                if (isDue) {
                    kill(slurm, kills.removeLast());
                }
            }
            assertThat(kills).isEmpty();
            times.assertAllEndedOnce(harness.socket(), codes);
            reporter.publishEntry(
                    Map.of(
                            "seed", Long.toString(SEED),
                            "tasks", Integer.toString(tasks),
                            "interrupted attempts", Long.toString(times.interrupted()),
                            "seconds",
                                    Long.toString(
                                            Duration.ofNanos(System.nanoTime() - begin)
                                                    .toSeconds())));
        }
    }

    private List<Kill> kills(int controllerKills, int serverKills) {
        var kills = new ArrayList<Kill>();
        for (int i = 0; i < controllerKills; i++) {
            kills.add(i % 2 == 0 ? Kill.CONTROLLER_AFTER_SUBMIT : Kill.CONTROLLER);
        }
        kills.addAll(Collections.nCopies(serverKills, Kill.SERVER));
        Collections.shuffle(kills, random);
        return kills;
    }

    private void kill(SlurmHarness slurm, Kill kill) {
        var harness = slurm.server();
        switch (kill) {
            case SERVER -> {
                harness.kill();
                harness.start();
            }
            case CONTROLLER_AFTER_SUBMIT -> {
                eventually(
                        SUBMITTED_WITHIN,
                        "a job is submitted",
                        slurm.cluster()::isControllerKilledBySubmit);
                slurm.cluster().startController();
            }
            case CONTROLLER -> {
                assertThat(harness.server().endsWithin(Duration.ofMillis(random.nextInt(2000))))
                        .isFalse();
                slurm.cluster().killController();
                assertThat(harness.server().endsWithin(Duration.ofMillis(random.nextInt(1000))))
                        .isFalse();
                slurm.cluster().startController();
            }
        }
    }

    private void submit(ServerHarness harness, SlurmTimeline times, int i) {
        int code = CODES[random.nextInt(CODES.length)];
        var order =
                times.recordedTask(
                                "task" + i,
                                GPUS[random.nextInt(GPUS.length)],
                                "sleep " + random.nextInt(3) + "." + random.nextInt(10),
                                code)
                        .key("key" + i);
        codes.put(AcknowledgedSubmit.submit(harness::socket, order), code);
    }
}
