package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A database that is missing or older than its home is refused, and recovered. */
@ExtendWith(ServerHarnessExtension.class)
final class LostStateTest {

    private static final List<String> PARTS = List.of("", "-wal", "-shm");

    @Test
    void aLogThatWasRemovedAfterACheckpointIsRefusedAndRecovered(ServerHarness harness)
            throws IOException {
        var before = harness.simulatedGpus(1).start();
        before.awaitEnd(before.submit(TaskBuilder.cpu("true")));
        harness.server().stop();
        // The close has moved the log into the database: this is the state after a checkpoint.
        harness.start();
        long running = harness.api().submit(gated(harness, "running"));
        harness.api().awaitPhase(running, "running");
        long waiting = harness.api().submit(gated(harness, "waiting"));
        harness.kill();
        for (var part : List.of("-wal", "-shm")) {
            Files.delete(database(harness, part));
        }

        assertRefusedAndKept(harness, "has lost state", "commits");
        var recovered = recover(harness);
        assertThat(recovered)
                .contains("Task " + running + " (running), attempt 1: runs")
                .contains("lost: tasks " + waiting + ".");

        var api = harness.start();
        assertThat(api.phase(running)).isEqualTo("running");
        assertThat(api.holders()).containsExactly(running);
        open(harness, "running");
        assertThat(api.awaitEnd(running).path("status").asString()).isEqualTo("completed");
        assertThat(runs(harness)).containsExactly("running");
        assertThat(api.submit(TaskBuilder.cpu("true"))).isGreaterThan(waiting);
    }

    @Test
    void anOlderCopyIsRefusedAndRecovered(ServerHarness harness) throws IOException {
        var api = harness.simulatedGpus(1).start();
        long first = api.submit(gated(harness, "first"));
        long second = api.submit(gated(harness, "second"));
        api.awaitPhase(first, "running");
        harness.kill();
        copy(harness, "old");
        harness.start();
        open(harness, "first");
        harness.api().awaitEnd(first);
        harness.api().awaitPhase(second, "running");
        harness.kill();
        restore(harness, "old");

        assertRefusedAndKept(harness, "has lost state", "task " + second);
        assertThat(recover(harness)).contains("(second), attempt 1: runs");

        var after = harness.start();
        assertThat(after.holders()).containsExactly(second);
        assertThat(after.awaitEnd(first).path("status").asString()).isEqualTo("completed");
        open(harness, "second");
        assertThat(after.awaitEnd(second).path("status").asString()).isEqualTo("completed");
        assertThat(runs(harness)).containsExactly("first", "second");
    }

    @Test
    void aMissingDatabaseIsRefusedAndRecoveredFromTheDirectories(ServerHarness harness)
            throws IOException {
        var api = harness.simulatedGpus(2).start();
        long done = api.submit(TaskBuilder.cpu("exit 7").named("done"));
        api.awaitEnd(done);
        long running = api.submit(gated(harness, "running"));
        api.awaitPhase(running, "running");
        harness.kill();
        for (var part : PARTS) {
            Files.deleteIfExists(database(harness, part));
        }

        assertRefusedAndKept(harness, "is missing", "2 tasks have directories");
        assertThat(recover(harness, "--dry-run")).contains("Nothing was changed");
        assertThat(database(harness, "")).doesNotExist();
        recover(harness);
        assertThat(recover(harness)).contains("Nothing to recover");

        var after = harness.start();
        assertThat(after.task(done).path("error").asString()).contains("7");
        assertThat(after.task(running).path("name").asString()).isEqualTo("running");
        assertThat(after.holders()).containsExactly(running);
        assertThat(after.client().get("/api/health").status()).isEqualTo(503);
        open(harness, "running");
        assertThat(after.awaitEnd(running).path("status").asString()).isEqualTo("completed");
        assertThat(runs(harness)).containsExactly("running");
    }

    @Test
    void aServerWithoutItsHomeRefusesSubmitsAndEndsForTheNextServer(ServerHarness harness)
            throws Exception {
        var api = harness.simulatedGpus(1).start();
        long running = api.submit(gated(harness, "running"));
        api.awaitPhase(running, "running");
        var first = harness.server();
        var away = harness.home().resolveSibling("away");

        Files.move(harness.home(), away);
        var refused = api.client().post("/api/tasks", TaskBuilder.cpu("true").body());
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.body()).contains("store.removed");
        var health = api.client().get("/api/health");
        assertThat(health.status()).isEqualTo(503);
        assertThat(health.body()).contains("was removed");

        Files.move(away, harness.home());
        eventually("the home is back", () -> api.client().get("/api/health").status() == 200);
        api.awaitEnd(api.submit(TaskBuilder.cpu("true")));

        removeHome(harness);
        assertThat(api.client().post("/api/tasks", TaskBuilder.cpu("true").body()).status())
                .isEqualTo(503);
        var second = harness.launch();
        assertThat(second.awaitEnd()).isEqualTo(1);
        assertThat(second.stderr()).contains("Task " + running + " is running");
        open(harness, "running");
        eventually("it has ended", () -> harness.leftovers().isEmpty());
        harness.start();
        assertThat(first.awaitEnd()).isEqualTo(3);
        assertThat(first.stderr()).contains("Another server has taken over this home");
        assertThat(harness.api().tasks()).isEmpty();
        assertThat(harness.socket().tasks()).isEmpty();
        assertThat(runs(harness)).containsExactly("running");
    }

    /** Like rm -rf, again if the server has just written a file. */
    private static void removeHome(ServerHarness harness) {
        eventually(
                "the home is gone",
                () -> {
                    try {
                        ServerHarness.remove(harness.home());
                    } catch (UncheckedIOException written) {
                        return false;
                    }
                    return !Files.exists(harness.home());
                });
    }

    private static TaskBuilder gated(ServerHarness harness, String name) {
        return TaskBuilder.oneGpu(
                        "echo %s >> %s\nuntil [[ -e %s ]]; do sleep 0.05; done"
                                .formatted(name, harness.file("runs"), harness.file(name)))
                .named(name);
    }

    private static void open(ServerHarness harness, String name) {
        TaskLifecycleTest.touch(harness.file(name));
    }

    private static List<String> runs(ServerHarness harness) throws IOException {
        return Files.readAllLines(harness.file("runs"));
    }

    private static Path database(ServerHarness harness, String part) {
        return harness.home().resolve("runtime/tasks.db" + part);
    }

    private static void copy(ServerHarness harness, String name) throws IOException {
        for (var part : PARTS) {
            Files.copy(database(harness, part), harness.file(name + part));
        }
    }

    private static void restore(ServerHarness harness, String name) throws IOException {
        for (var part : PARTS) {
            Files.copy(
                    harness.file(name + part),
                    database(harness, part),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void assertRefusedAndKept(ServerHarness harness, String... words)
            throws IOException {
        var before = contents(harness);
        var refused = harness.launch();
        assertThat(refused.awaitEnd()).isEqualTo(1);
        assertThat(refused.stderr()).contains(words).contains("berth recover");
        assertThat(contents(harness)).isEqualTo(before);
    }

    /** The database and its log; SQLite may build the index of the log again. */
    private static String contents(ServerHarness harness) throws IOException {
        var parts = new StringBuilder();
        for (var part : List.of("", "-wal")) {
            var file = database(harness, part);
            parts.append(part)
                    .append(
                            Files.exists(file) && Files.size(file) > 0
                                    ? Arrays.hashCode(Files.readAllBytes(file))
                                    : 0)
                    .append(' ');
        }
        return parts.toString();
    }

    private static String recover(ServerHarness harness, String... options) {
        var out = harness.run("recover", options);
        return out.lines().collect(Collectors.joining("\n"));
    }
}
