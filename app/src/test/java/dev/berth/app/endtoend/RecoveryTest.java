package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How a new server recovers what an old one, or its user, left behind. */
@ExtendWith(ServerHarnessExtension.class)
final class RecoveryTest {

    private static final String NO_EXIT_CODE = "ended with no exit code";

    @Test
    void aCrashLosesNothingAndStartsNothingTwice(ServerHarness harness) {
        var before = harness.simulatedGpus(2).start();
        long running = before.submit(TaskBuilder.oneGpu(gated(harness, "running")));
        long ending = before.submit(TaskBuilder.oneGpu(gated(harness, "ending")));
        long third = before.submit(TaskBuilder.gpus(2, gated(harness, "third")));
        long fourth = before.submit(TaskBuilder.gpus(2, gated(harness, "fourth")));
        awaitRuns(harness, "running", "ending");
        before.awaitPhase(running, "running");
        var card = before.task(running).path("assigned_gpus");

        harness.kill();
        open(harness, "ending");
        eventually("it ends while nobody watches", () -> Files.exists(exitCode(harness, ending)));
        var api = harness.start();

        assertThat(api.status(ending)).isEqualTo("completed");
        assertThat(api.status(running)).isEqualTo("running");
        assertThat(api.task(running).path("assigned_gpus")).isEqualTo(card);
        assertThat(api.holders()).containsExactly(running);
        assertThat(List.of(third, fourth)).allMatch(id -> api.status(id).equals("queued"));
        assertThat(api.task(third).path("position").asInt()).isZero();
        assertThat(api.task(fourth).path("position").asInt()).isOne();

        List.of("running", "third", "fourth").forEach(name -> open(harness, name));
        for (long id : new long[] {running, third, fourth}) {
            var task = api.awaitEnd(id);
            assertThat(task.path("status").asString()).isEqualTo("completed");
            assertThat(TestApi.list(task.path("attempts"))).hasSize(1);
        }
        assertThat(runs(harness)).containsExactlyInAnyOrder("running", "ending", "third", "fourth");
        assertThat(runs(harness)).containsSubsequence("third", "fourth");
        harness.awaitNoLeftovers();
    }

    @Test
    void aHeldGpuIsShownAsHeldRightAfterARestart(ServerHarness harness) {
        var api = harness.start();
        long id = api.submit(TaskBuilder.oneGpu("sleep 60090"));
        api.awaitPhase(id, "running");
        assertHeld(api, id);

        assertHeld(harness.restart(), id);
        harness.api().cancel(id);
        harness.api().awaitEnd(id);
    }

    private static void assertHeld(TestApi api, long id) {
        int index = api.task(id).path("assigned_gpus").get(0).asInt();
        var gpu = api.gpus().get(index);
        assertThat(gpu.path("assigned_task_id").asLong()).isEqualTo(id);
        assertThat(gpu.path("is_free").asBoolean()).isFalse();
    }

    @Test
    void stoppingTheServerLeavesItsTasksAloneAndKeepsThemReadable(ServerHarness harness) {
        var before = harness.start();
        long done = before.submit(TaskBuilder.cpu("echo kept"));
        before.awaitEnd(done);
        long running = before.submit(TaskBuilder.oneGpu(gated(harness, "running")));
        awaitRuns(harness, "running");
        before.awaitPhase(running, "running");
        harness.server().stop();
        assertThat(harness.leftovers()).isNotEmpty();

        var api = harness.start();
        assertThat(api.phase(running)).isEqualTo("running");
        assertThat(TaskLifecycleTest.between(api.log(done, 100))).containsExactly("kept");
        open(harness, "running");
        assertThat(api.awaitEnd(running).path("status").asString()).isEqualTo("completed");
        assertThat(api.tasks()).hasSize(2);
    }

    @Test
    void whenTheShimAloneIsKilledItsCommandIsEndedAndReportedAndNotRunAgain(ServerHarness harness) {
        var api = harness.start();
        long id = api.submit(TaskBuilder.oneGpu(gated(harness, "alone")));
        awaitRuns(harness, "alone");
        api.awaitPhase(id, "running");

        ProcessHandle.of(shim(api.task(id))).orElseThrow().destroyForcibly();

        assertVanished(api.awaitEnd(id));
        assertThat(harness.leftovers()).isEmpty();
        assertThat(api.holders()).isEmpty();
        assertThat(runs(harness)).containsExactly("alone");
        assertThat(api.events("alert.processes_left"))
                .anyMatch(event -> event.path("task_id").asLong() == id);
    }

    @Test
    void whenTheShimAloneIsKilledDuringAnOutageItsCommandIsEndedAndNotRunAgain(
            ServerHarness harness) {
        var before = harness.start();
        long id = before.submit(TaskBuilder.oneGpu(gated(harness, "alone")));
        awaitRuns(harness, "alone");
        before.awaitPhase(id, "running");
        long shim = shim(before.task(id));
        harness.kill();
        ProcessHandle.of(shim).orElseThrow().destroyForcibly();
        eventually("the shim is gone", () -> !LeftoverProcesses.isAlive(shim));
        assertThat(harness.leftovers()).isNotEmpty();

        var api = harness.start();
        assertVanished(api.awaitEnd(id));
        assertThat(harness.leftovers()).isEmpty();
        assertThat(api.holders()).isEmpty();
        assertThat(runs(harness)).containsExactly("alone");
    }

    @Test
    void aTaskWhoseDirectoryIsDeletedRunsOnToItsEnd(ServerHarness harness) {
        var api = harness.start();
        long id =
                api.submit(
                        TaskBuilder.oneGpu(
                                gated(harness, "homeless")
                                        + "\necho over >> "
                                        + harness.file("runs")));
        awaitRuns(harness, "homeless");
        api.awaitPhase(id, "running");

        ServerHarness.remove(harness.tasks().resolve("task_" + id));
        long after = api.submit(TaskBuilder.oneGpu("true"));
        assertThat(api.awaitEnd(after).path("status").asString()).isEqualTo("completed");
        assertThat(api.phase(id)).isEqualTo("running");
        open(harness, "homeless");

        var ended = api.awaitEnd(id);
        assertThat(ended.path("status").asString()).isEqualTo("completed");
        assertThat(ended.path("exit_code").asInt()).isZero();
        assertThat(runs(harness)).containsExactly("homeless", "over");
        assertThat(api.holders()).isEmpty();
        harness.awaitNoLeftovers();
    }

    @Test
    void aTaskWhoseDirectoryIsDeletedIsFoundByItsProcessAfterARestart(ServerHarness harness) {
        var before = harness.start();
        long id = before.submit(TaskBuilder.oneGpu(gated(harness, "homeless")));
        awaitRuns(harness, "homeless");
        before.awaitPhase(id, "running");
        ServerHarness.remove(harness.tasks().resolve("task_" + id));

        var api = harness.restart();
        assertThat(api.phase(id)).isEqualTo("running");
        assertThat(api.holders()).containsExactly(id);
        open(harness, "homeless");

        assertThat(api.awaitEnd(id).path("error").asString())
                .isEqualTo(NO_EXIT_CODE + ": its directory was deleted");
        assertThat(runs(harness)).containsExactly("homeless");
        assertThat(api.holders()).isEmpty();
        harness.awaitNoLeftovers();
    }

    @Test
    void aTaskThatNothingButItsProcessesTellOfIsLostWithItsGpuHeld(ServerHarness harness) {
        var commit = harness.failpoint("engine.before-commit");
        var go = harness.failpoint("shim.before-go");
        var before = harness.simulatedGpus(1).start();
        go.arm();
        long id = before.submit(TaskBuilder.oneGpu(gated(harness, "homeless")));
        go.awaitHit();
        commit.arm();
        go.release();
        awaitRuns(harness, "homeless");
        commit.awaitHit();
        harness.kill();
        commit.release();
        ServerHarness.remove(harness.tasks().resolve("task_" + id));

        var api = harness.start();
        eventually("it is looked at", () -> api.phase(id).equals("lost"));
        assertThat(api.status(id)).isEqualTo("running");
        assertThat(api.holders()).containsExactly(id);
        assertThat(api.events("attempt.lost")).hasSize(1);
        long waiting = api.submit(TaskBuilder.oneGpu("true"));
        assertThat(api.awaitEnd(api.submit(TaskBuilder.cpu("true"))).path("status").asString())
                .isEqualTo("completed");
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.waitReasonCodes(waiting)).contains("card.held_lost");
        assertThat(api.events("alert.attempt_lost")).hasSize(1);
        assertThat(api.resolve(id, "requeue").status()).as("its processes are seen").isEqualTo(409);
        assertThat(runs(harness)).containsExactly("homeless");

        assertThat(api.cancel(id).status()).as("a person decides").isEqualTo(200);
        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
        assertThat(api.awaitEnd(waiting).path("status").asString()).isEqualTo("completed");
        assertThat(harness.leftovers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"garbage", "", "\0\0\0\0", "--", "99999999999999999999999"})
    void anExitRecordThatHoldsNoNumberIsNone(String content, ServerHarness harness)
            throws IOException {
        var task = withExitRecord(harness, content);
        assertVanished(task);
        assertThat(harness.api().holders()).isEmpty();
        assertThat(runs(harness)).containsExactly("judged");
    }

    @Test
    void theFirstNumberOfAnExitRecordDecides(ServerHarness harness) throws IOException {
        var task = withExitRecord(harness, "3\n0\nand more\n");
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("exit_code").asInt()).isEqualTo(3);
    }

    /** Lets a task end while no server runs, changes its exit record, and starts a server. */
    private static JsonNode withExitRecord(ServerHarness harness, String content)
            throws IOException {
        long id = harness.start().submit(TaskBuilder.oneGpu(gated(harness, "judged")));
        awaitRuns(harness, "judged");
        harness.kill();
        open(harness, "judged");
        eventually(
                "it has ended",
                () -> Files.exists(exitCode(harness, id)) && harness.leftovers().isEmpty());
        for (var record :
                new Path[] {
                    exitCode(harness, id), harness.attempt(id, 1).resolve("exit_code.pending")
                }) {
            Files.writeString(record, content);
        }
        return harness.start().awaitEnd(id);
    }

    private static void assertVanished(JsonNode task) {
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("error").asString()).isEqualTo(NO_EXIT_CODE);
        assertThat(task.path("exit_code").isNull()).isTrue();
        assertThat(TestApi.list(task.path("attempts"))).hasSize(1);
    }

    /** Records that it ran, then waits for its gate. */
    private static String gated(ServerHarness harness, String name) {
        return "echo %s >> %s\nuntil [[ -e %s ]]; do sleep 0.02; done"
                .formatted(name, harness.file("runs"), harness.file(name + ".gate"));
    }

    private static void open(ServerHarness harness, String name) {
        TaskLifecycleTest.touch(harness.file(name + ".gate"));
    }

    private static void awaitRuns(ServerHarness harness, String... names) {
        eventually("these run: " + List.of(names), () -> runs(harness).containsAll(List.of(names)));
    }

    private static List<String> runs(ServerHarness harness) {
        try {
            var file = harness.file("runs");
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException("reading the runs", e);
        }
    }

    private static Path exitCode(ServerHarness harness, long id) {
        return harness.attempt(id, 1).resolve("exit_code");
    }

    private static long shim(JsonNode task) {
        return task.path("attempts").path(0).path("pid").asLong();
    }
}
