package dev.berth.app.live;

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

/** What a new server makes of what an old one, or its user, left behind. */
@ExtendWith(Worlds.class)
final class RecoveryTest {

    private static final String NO_EXIT_CODE = "ended with no exit code";

    @Test
    void aCrashLosesNothingAndStartsNothingTwice(World world) {
        var before = world.cards(2).start();
        long running = before.submit(Order.card(gated(world, "running")));
        long ending = before.submit(Order.card(gated(world, "ending")));
        long third = before.submit(Order.cards(2, gated(world, "third")));
        long fourth = before.submit(Order.cards(2, gated(world, "fourth")));
        awaitRuns(world, "running", "ending");
        before.awaitPhase(running, "running");
        var card = before.task(running).path("assigned_gpus");

        world.kill();
        open(world, "ending");
        eventually("it ends while nobody watches", () -> Files.exists(exitCode(world, ending)));
        var api = world.start();

        assertThat(api.status(ending)).isEqualTo("completed");
        assertThat(api.status(running)).isEqualTo("running");
        assertThat(api.task(running).path("assigned_gpus")).isEqualTo(card);
        assertThat(api.holders()).containsExactly(running);
        assertThat(List.of(third, fourth)).allMatch(id -> api.status(id).equals("queued"));
        assertThat(api.task(third).path("position").asInt()).isZero();
        assertThat(api.task(fourth).path("position").asInt()).isOne();

        List.of("running", "third", "fourth").forEach(name -> open(world, name));
        for (long id : new long[] {running, third, fourth}) {
            var task = api.awaitFinal(id);
            assertThat(task.path("status").asString()).isEqualTo("completed");
            assertThat(Api.list(task.path("attempts"))).hasSize(1);
        }
        assertThat(runs(world)).containsExactlyInAnyOrder("running", "ending", "third", "fourth");
        assertThat(runs(world)).containsSubsequence("third", "fourth");
        world.awaitNoStrays();
    }

    @Test
    void stoppingTheServerLeavesItsTasksAloneAndKeepsThemReadable(World world) {
        var before = world.start();
        long done = before.submit(Order.cpu("echo kept"));
        before.awaitFinal(done);
        long running = before.submit(Order.card(gated(world, "running")));
        awaitRuns(world, "running");
        before.awaitPhase(running, "running");
        world.server().stop();
        assertThat(world.strays()).isNotEmpty();

        var api = world.start();
        assertThat(api.phase(running)).isEqualTo("running");
        assertThat(PipelineTest.between(api.log(done, 100))).containsExactly("kept");
        open(world, "running");
        assertThat(api.awaitFinal(running).path("status").asString()).isEqualTo("completed");
        assertThat(api.tasks()).hasSize(2);
    }

    @Test
    void whenTheShimAloneIsKilledItsCommandIsEndedAndReportedAndNotRunAgain(World world) {
        var api = world.start();
        long id = api.submit(Order.card(gated(world, "alone")));
        awaitRuns(world, "alone");
        api.awaitPhase(id, "running");

        ProcessHandle.of(shim(api.task(id))).orElseThrow().destroyForcibly();

        assertVanished(api.awaitFinal(id));
        assertThat(world.strays()).isEmpty();
        assertThat(api.holders()).isEmpty();
        assertThat(runs(world)).containsExactly("alone");
        assertThat(api.events("alert.processes_left"))
                .anyMatch(event -> event.path("task_id").asLong() == id);
    }

    @Test
    void whenTheShimAloneIsKilledDuringAnOutageItsCommandIsEndedAndNotRunAgain(World world) {
        var before = world.start();
        long id = before.submit(Order.card(gated(world, "alone")));
        awaitRuns(world, "alone");
        before.awaitPhase(id, "running");
        long shim = shim(before.task(id));
        world.kill();
        ProcessHandle.of(shim).orElseThrow().destroyForcibly();
        eventually("the shim is gone", () -> !Strays.isAlive(shim));
        assertThat(world.strays()).isNotEmpty();

        var api = world.start();
        assertVanished(api.awaitFinal(id));
        assertThat(world.strays()).isEmpty();
        assertThat(api.holders()).isEmpty();
        assertThat(runs(world)).containsExactly("alone");
    }

    @Test
    void aTaskWhoseDirectoryIsDeletedRunsOnToItsEnd(World world) {
        var api = world.start();
        long id =
                api.submit(
                        Order.card(
                                gated(world, "homeless") + "\necho over >> " + world.file("runs")));
        awaitRuns(world, "homeless");
        api.awaitPhase(id, "running");

        World.remove(world.tasks().resolve("task_" + id));
        long after = api.submit(Order.card("true"));
        assertThat(api.awaitFinal(after).path("status").asString()).isEqualTo("completed");
        assertThat(api.phase(id)).isEqualTo("running");
        open(world, "homeless");

        assertVanished(api.awaitFinal(id));
        assertThat(runs(world)).containsExactly("homeless", "over");
        assertThat(api.holders()).isEmpty();
        world.awaitNoStrays();
    }

    @Test
    void aTaskWhoseDirectoryIsDeletedIsFoundByItsProcessAfterARestart(World world) {
        var before = world.start();
        long id = before.submit(Order.card(gated(world, "homeless")));
        awaitRuns(world, "homeless");
        before.awaitPhase(id, "running");
        World.remove(world.tasks().resolve("task_" + id));

        var api = world.restart();
        assertThat(api.phase(id)).isEqualTo("running");
        assertThat(api.holders()).containsExactly(id);
        open(world, "homeless");

        assertVanished(api.awaitFinal(id));
        assertThat(runs(world)).containsExactly("homeless");
        assertThat(api.holders()).isEmpty();
        world.awaitNoStrays();
    }

    @Test
    void aTaskThatNothingButItsProcessesTellOfIsLostWithItsCardHeld(World world) {
        var commit = world.failpoint("engine.before-commit");
        var go = world.failpoint("shim.before-go");
        var before = world.cards(1).start();
        go.arm();
        long id = before.submit(Order.card(gated(world, "homeless")));
        go.awaitHit();
        commit.arm();
        go.release();
        awaitRuns(world, "homeless");
        commit.awaitHit();
        world.kill();
        commit.release();
        World.remove(world.tasks().resolve("task_" + id));

        var api = world.start();
        assertThat(api.phase(id)).isEqualTo("lost");
        assertThat(api.status(id)).isEqualTo("running");
        assertThat(api.holders()).containsExactly(id);
        assertThat(api.events("attempt.lost")).hasSize(1);
        long waiting = api.submit(Order.card("true"));
        assertThat(api.awaitFinal(api.submit(Order.cpu("true"))).path("status").asString())
                .isEqualTo("completed");
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(runs(world)).containsExactly("homeless");

        assertThat(api.cancel(id).status()).as("a person decides").isEqualTo(200);
        assertThat(api.awaitFinal(id).path("status").asString()).isEqualTo("cancelled");
        assertThat(api.awaitFinal(waiting).path("status").asString()).isEqualTo("completed");
        assertThat(world.strays()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"garbage", "", "\0\0\0\0", "--", "99999999999999999999999"})
    void anExitRecordThatHoldsNoNumberIsNone(String content, World world) throws IOException {
        var task = withExitRecord(world, content);
        assertVanished(task);
        assertThat(world.api().holders()).isEmpty();
        assertThat(runs(world)).containsExactly("judged");
    }

    @Test
    void theFirstNumberOfAnExitRecordDecides(World world) throws IOException {
        var task = withExitRecord(world, "3\n0\nand more\n");
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("exit_code").asInt()).isEqualTo(3);
    }

    /**
     * Lets a task end while no server runs, puts something else into its exit record, and starts a
     * server.
     */
    private static JsonNode withExitRecord(World world, String content) throws IOException {
        long id = world.start().submit(Order.card(gated(world, "judged")));
        awaitRuns(world, "judged");
        world.kill();
        open(world, "judged");
        eventually(
                "it has ended",
                () -> Files.exists(exitCode(world, id)) && world.strays().isEmpty());
        for (var record :
                new Path[] {
                    exitCode(world, id), world.attempt(id, 1).resolve("exit_code.pending")
                }) {
            Files.writeString(record, content);
        }
        return world.start().awaitFinal(id);
    }

    private static void assertVanished(JsonNode task) {
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("error").asString()).isEqualTo(NO_EXIT_CODE);
        assertThat(task.path("exit_code").isNull()).isTrue();
        assertThat(Api.list(task.path("attempts"))).hasSize(1);
    }

    /** Notes that it ran, then waits for its gate. */
    private static String gated(World world, String name) {
        return "echo %s >> %s\nuntil [[ -e %s ]]; do sleep 0.02; done"
                .formatted(name, world.file("runs"), world.file(name + ".gate"));
    }

    private static void open(World world, String name) {
        PipelineTest.touch(world.file(name + ".gate"));
    }

    private static void awaitRuns(World world, String... names) {
        eventually("these run: " + List.of(names), () -> runs(world).containsAll(List.of(names)));
    }

    private static List<String> runs(World world) {
        try {
            var file = world.file("runs");
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException("reading the runs", e);
        }
    }

    private static Path exitCode(World world, long id) {
        return world.attempt(id, 1).resolve("exit_code");
    }

    private static long shim(JsonNode task) {
        return task.path("attempts").path(0).path("pid").asLong();
    }
}
