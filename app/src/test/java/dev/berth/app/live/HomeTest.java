package dev.berth.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** Who may have a home, and what is kept there. */
@ExtendWith(Worlds.class)
final class HomeTest {

    @Test
    void aSecondServerOnOneHomeIsRefusedAndNamesTheFirst(World world) {
        var api = world.start();
        var first = world.server();

        var second = world.launch();

        assertThat(second.awaitEnd()).isNotZero();
        assertThat(second.stdout()).isEmpty();
        assertThat(second.stderr()).contains(Long.toString(first.pid()));
        assertThat(first.isAlive()).isTrue();
        assertThat(api.awaitFinal(api.submit(Order.card("true"))).path("status").asString())
                .isEqualTo("completed");
    }

    @Test
    void twoHomesOnOneMachineWorkSideBySide(World one, World other) {
        var mine = one.start();
        var theirs = other.start();
        long id = mine.submit(Order.card("sleep 60081"));
        long twin = theirs.submit(Order.card("sleep 60081"));
        assertThat(twin).isEqualTo(id);
        mine.awaitPhase(id, "running");
        theirs.awaitPhase(twin, "running");

        mine.cancel(id);
        assertThat(mine.awaitFinal(id).path("status").asString()).isEqualTo("cancelled");
        assertThat(one.strays()).isEmpty();
        assertThat(theirs.phase(twin)).isEqualTo("running");
        assertThat(one.restart().status(id)).isEqualTo("cancelled");
        assertThat(theirs.phase(twin)).isEqualTo("running");
        assertThat(other.strays()).isNotEmpty();
    }

    @Test
    void newIdsStartAboveTheFoldersWhenTheDatabaseIsGone(World world) throws IOException {
        var before = world.start();
        for (int i = 0; i < 3; i++) {
            before.awaitFinal(before.submit(Order.cpu("echo old")));
        }
        world.server().stop();
        for (var ending : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(Path.of(database(world) + ending));
        }
        var old = Files.readString(world.tasks().resolve("task_3/command.sh"));

        var api = world.start();
        long id = api.submit(Order.cpu("echo new"));

        assertThat(id).isGreaterThan(3);
        api.awaitFinal(id);
        assertThat(world.tasks().resolve("task_3/command.sh")).hasContent(old);
    }

    @Test
    void aDamagedDatabaseIsKeptAndNoServerStartsEmpty(World world) throws IOException {
        var api = world.start();
        api.awaitFinal(api.submit(Order.cpu("true")));
        world.server().stop();
        var damaged = Files.readAllBytes(database(world));
        for (int i = 0; i < 2000; i++) {
            damaged[i] = (byte) (i * 31);
        }
        Files.write(database(world), damaged);

        var server = world.launch();

        assertThat(server.awaitEnd()).isNotZero();
        assertThat(server.stdout()).isEmpty();
        assertThat(server.stderr())
                .contains(database(world).toString())
                .containsIgnoringCase("restore");
        assertThat(Files.readAllBytes(database(world))).isEqualTo(damaged);
    }

    @Test
    void theDatabaseIsReadableByAnyoneWhoSpeaksSqlite(World world) throws SQLException {
        var api = world.start();
        api.awaitFinal(api.submit(Order.cpu("true")));
        var gate = world.file("gate");
        long holder =
                api.submit(
                        Order.cards(4, "until [[ -e %s ]]; do sleep 0.05; done".formatted(gate)));
        api.awaitPhase(holder, "running");
        long waiting = api.submit(Order.card("true"));
        var url = "jdbc:sqlite:file:" + database(world) + "?mode=ro";
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
        PipelineTest.touch(gate);
        api.awaitFinal(waiting);
    }

    @Test
    void anAttemptOfAnEarlierBootHasEndedWithTheMachine(World world)
            throws IOException, SQLException {
        var before = world.cards(1).start();
        long id = before.submit(Order.card("sleep 60091"));
        before.awaitPhase(id, "running");
        world.kill();
        world.strays()
                .forEach(
                        stray ->
                                ProcessHandle.of(stray.pid())
                                        .ifPresent(ProcessHandle::destroyForcibly));
        world.awaitNoStrays();
        // A restart of the machine, as far as files can tell: the same pids under another boot id.
        var boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        var other = "00000000-0000-4000-8000-000000000000";
        var go = world.attempt(id, 1).resolve("go");
        Files.writeString(go, Files.readString(go).replace(boot, other));
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + database(world));
                var statement = connection.createStatement()) {
            statement.executeUpdate(
                    "UPDATE attempt SET boot_id = '"
                            + other
                            + "', process_boot_id = '"
                            + other
                            + "'");
        }

        var api = world.start();

        var task = api.awaitFinal(id);
        assertThat(task.path("status").asString()).isEqualTo("failed");
        assertThat(task.path("error").asString()).isEqualTo("machine restarted");
        assertThat(api.holders()).isEmpty();
    }

    private static Path database(World world) {
        return world.home().resolve("runtime/tasks.db");
    }
}
