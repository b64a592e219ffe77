package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.Change;
import dev.berth.store.Database;
import dev.berth.store.SqliteTaskStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** Ownership and content of a home. */
@ExtendWith(ServerHarnessExtension.class)
final class HomeTest {

    @Test
    void aSecondServerOnOneHomeIsRefusedAndNamesTheFirst(ServerHarness harness) {
        var api = harness.start();
        var first = harness.server();

        var second = harness.launch();

        assertThat(second.awaitEnd()).isNotZero();
        assertThat(second.stdout()).isEmpty();
        assertThat(second.stderr()).contains(Long.toString(first.pid()));
        assertThat(first.isAlive()).isTrue();
        assertThat(api.awaitEnd(api.submit(TaskBuilder.oneGpu("true"))).path("status").asString())
                .isEqualTo("completed");
    }

    @Test
    void whatAKilledServerLeftWhileItReplacedAFileIsDeleted(ServerHarness harness)
            throws IOException {
        harness.configure("port: 0\n");
        var left =
                List.of(
                        harness.home().resolve("config/.berth.yaml.1234567890123.tmp"),
                        harness.home().resolve("config/.berth.yaml9876543210.new"),
                        harness.home().resolve(".log_bindings.json.55555555555.tmp"));
        var kept =
                List.of(
                        harness.home().resolve("config/berth.yaml.new"),
                        harness.home().resolve("config/.mine.tmp"));
        for (var file : left) {
            Files.writeString(file, "half");
        }
        for (var file : kept) {
            Files.writeString(file, "mine");
        }
        harness.start();
        assertThat(left).noneMatch(Files::exists);
        assertThat(kept).allMatch(Files::exists);
    }

    @Test
    void twoHomesOnOneMachineWorkSideBySide(ServerHarness one, ServerHarness other) {
        var mine = one.start();
        var theirs = other.start();
        long id = mine.submit(TaskBuilder.oneGpu("sleep 60081"));
        long twin = theirs.submit(TaskBuilder.oneGpu("sleep 60081"));
        assertThat(twin).isEqualTo(id);
        mine.awaitPhase(id, "running");
        theirs.awaitPhase(twin, "running");

        mine.cancel(id);
        assertThat(mine.awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
        assertThat(one.leftovers()).isEmpty();
        assertThat(theirs.phase(twin)).isEqualTo("running");
        assertThat(one.restart().status(id)).isEqualTo("cancelled");
        assertThat(theirs.phase(twin)).isEqualTo("running");
        assertThat(other.leftovers()).isNotEmpty();
    }

    @Test
    void newIdsStartAboveTheFoldersWhenTheDatabaseIsGone(ServerHarness harness) throws IOException {
        var before = harness.start();
        for (int i = 0; i < 3; i++) {
            before.awaitEnd(before.submit(TaskBuilder.cpu("echo old")));
        }
        harness.server().stop();
        for (var ending : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(Path.of(database(harness) + ending));
        }
        var old = Files.readString(harness.tasks().resolve("task_3/command.sh"));

        harness.run("recover");
        var api = harness.start();
        harness.run("scheduler", "start");
        long id = api.submit(TaskBuilder.cpu("echo new"));

        assertThat(id).isGreaterThan(3);
        api.awaitEnd(id);
        assertThat(harness.tasks().resolve("task_3/command.sh")).hasContent(old);
    }

    @Test
    void aDamagedDatabaseIsKeptAndNoServerStartsEmpty(ServerHarness harness) throws IOException {
        var api = harness.start();
        api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
        harness.server().stop();
        var damaged = Files.readAllBytes(database(harness));
        for (int i = 0; i < 2000; i++) {
            damaged[i] = (byte) (i * 31);
        }
        Files.write(database(harness), damaged);

        var server = harness.launch();

        assertThat(server.awaitEnd()).isNotZero();
        assertThat(server.stdout()).isEmpty();
        assertThat(server.stderr())
                .contains(database(harness).toString())
                .containsIgnoringCase("restore");
        assertThat(Files.readAllBytes(database(harness))).isEqualTo(damaged);
    }

    @Test
    void theDatabaseIsReadableByAnyoneWhoSpeaksSqlite(ServerHarness harness) throws SQLException {
        var api = harness.start();
        api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
        var gate = harness.file("gate");
        long holder =
                api.submit(
                        TaskBuilder.gpus(
                                4, "until [[ -e %s ]]; do sleep 0.05; done".formatted(gate)));
        api.awaitPhase(holder, "running");
        long waiting = api.submit(TaskBuilder.oneGpu("true"));
        var url = "jdbc:sqlite:file:" + database(harness) + "?mode=ro";
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            var count = statement.executeQuery("SELECT count(*) FROM tasks");
            assertThat(count.getInt(1)).isEqualTo(3);
            var line =
                    statement.executeQuery(
                            "SELECT task_id, score FROM task_queue ORDER BY score LIMIT 10");
            assertThat(line.next()).isTrue();
            assertThat(line.getLong("task_id")).isEqualTo(waiting);
            assertThat(line.next()).isFalse();
        }
        TaskLifecycleTest.touch(gate);
        api.awaitEnd(waiting);
    }

    @Test
    void anAttemptOfAnEarlierBootHasEndedWithTheMachine(ServerHarness harness) throws Exception {
        var before = harness.simulatedGpus(1).start();
        long id = before.submit(TaskBuilder.oneGpu("sleep 60091"));
        before.awaitPhase(id, "running");
        harness.kill();
        harness.leftovers()
                .forEach(
                        stray ->
                                ProcessHandle.of(stray.pid())
                                        .ifPresent(ProcessHandle::destroyForcibly));
        harness.awaitNoLeftovers();
        // Simulates a reboot: the same pids under another boot id.
        var boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        var other = "00000000-0000-4000-8000-000000000000";
        var go = harness.attempt(id, 1).resolve("go");
        Files.writeString(go, Files.readString(go).replace(boot, other));
        try (var store = new SqliteTaskStore(Database.open(database(harness)))) {
            var attempt = store.open().attempts().getFirst();
            store.commit(List.of(new Change.AttemptSaved(ofBoot(attempt, other))));
        }

        var api = harness.start();

        var task = api.awaitEnd(id);
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("error").asString()).isEqualTo("machine restarted");
        assertThat(api.holders()).isEmpty();
    }

    private static Attempt ofBoot(Attempt attempt, String boot) {
        var shim = attempt.phase().shimProcess().orElseThrow();
        var key = new ProcessKey(boot, shim.key().pid(), shim.key().startTick());
        return new Attempt(
                attempt.id(),
                attempt.node(),
                attempt.epoch(),
                boot,
                attempt.claims(),
                attempt.scheduledAt(),
                new Phase.Running(new ShimProcess(key, shim.startedAt())));
    }

    private static Path database(ServerHarness harness) {
        return harness.home().resolve("runtime/tasks.db");
    }
}
