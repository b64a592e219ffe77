package dev.berth.app.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliClock;
import dev.berth.cli.call.CommandFailure;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskTransition;
import dev.berth.node.linux.PosixAcl;
import dev.berth.port.Change;
import dev.berth.port.TaskStore;
import dev.berth.store.Database;
import dev.berth.store.HomeLock;
import dev.berth.store.SqliteTaskQueries;
import dev.berth.store.SqliteTaskStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** The tasks of a personal home become tasks of the server of the machine. */
class SystemImportTest {

    private static final Instant NOON = Instant.parse("2031-05-06T12:00:00.123456Z");
    private static final Owner BOB = Owner.unix("bob");

    @TempDir private Path directory;
    private Path home;
    private Path state;

    @BeforeEach
    void create() throws Exception {
        home = Files.createDirectories(directory.resolve("home/.berth"));
        state = directory.resolve("state");
        Files.createDirectories(state.resolve("node/tasks"));
        Files.createDirectories(
                state.resolve("server"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createDirectories(home.resolve("runtime/tasks/task_3"));
        Files.writeString(home.resolve("runtime/tasks/task_3/tmux.log"), "epoch 1\n");
        Files.writeString(home.resolve("runtime/tasks/task_3/exit_code"), "3\n");
        Files.writeString(home.resolve("runtime/tasks/task_3/run.sh"), "#!/bin/bash\n");
        Files.createSymbolicLink(
                home.resolve("runtime/tasks/task_3/secret"), Path.of("/etc/hostname"));
        save(home.resolve("runtime/tasks.db"), homeTasks());
    }

    private static void save(Path database, List<Change> changes) throws Exception {
        Files.createDirectories(database.getParent());
        try (var store = new SqliteTaskStore(Database.open(database))) {
            store.open();
            store.commit(changes);
        }
    }

    private static Task task(long id, String name, Priority priority) {
        var spec = TaskSpec.of(name, "echo " + name, Need.CPU, "/home/bob").with(priority);
        return Task.queued(new TaskId(id), BOB, spec, NOON.plusSeconds(id));
    }

    private static List<Change> homeTasks() {
        var id = new AttemptId(new TaskId(3), 1);
        var process = new ShimProcess(new ProcessKey("boot", 7, 8), NOON.plusSeconds(4));
        var attempt =
                new Attempt(
                        id,
                        "local",
                        1,
                        "boot",
                        List.of(),
                        NOON.plusSeconds(3),
                        new Phase.Ended(
                                Optional.of(process), new Ending.Exited(3), NOON.plusSeconds(9)));
        var failed =
                task(3, "failed", Priority.NORMAL)
                        .after(new TaskTransition.Start(1))
                        .after(new TaskTransition.Fail(NOON.plusSeconds(9), "exit code 3"));
        var requeued =
                new Task(
                        new TaskId(4),
                        BOB,
                        task(4, "second", Priority.LOW).spec(),
                        NOON,
                        Optional.of(NOON.plusSeconds(60)),
                        task(4, "second", Priority.LOW).state(),
                        0,
                        0,
                        Optional.empty());
        var draft = Task.draft(new TaskId(6), BOB, task(6, "draft", Priority.LOW).spec(), NOON);
        return List.of(
                new Change.TaskSaved(failed),
                new Change.AttemptSaved(attempt),
                new Change.TaskSaved(requeued),
                new Change.TaskSaved(task(5, "first", Priority.LOW)),
                new Change.TaskSaved(draft));
    }

    private String run(boolean again) throws IOException {
        var output = new ByteArrayOutputStream();
        var stream = new PrintStream(output, true, StandardCharsets.UTF_8);
        var context =
                new CallContext(
                        InputStream.nullInputStream(),
                        stream,
                        stream,
                        Map.of(),
                        directory,
                        false,
                        () -> 0,
                        CliClock.SYSTEM);
        var owner = new ImportedTasks.NewOwner("bob", 1042);
        new HomeImport(PersonalHome.of(home), owner, state, again).run(context);
        return output.toString(StandardCharsets.UTF_8);
    }

    private Path database() {
        return state.resolve("server/runtime/tasks.db");
    }

    private TaskStore.Loaded loaded() throws Exception {
        try (var store = new SqliteTaskStore(Database.open(database()))) {
            return store.open();
        }
    }

    /** All files of the home with their content. */
    private Map<String, String> contents() throws IOException {
        var contents = new TreeMap<String, String>();
        try (var files = Files.walk(home)) {
            for (var file :
                    files.filter(one -> Files.isRegularFile(one, LinkOption.NOFOLLOW_LINKS))
                            .toList()) {
                contents.put(
                        home.relativize(file).toString(),
                        new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
        }
        return contents;
    }

    @Test
    void endedTasksAreHistoryAndWaitingOnesWaitInTheirOrder() throws Exception {
        var text = run(false);

        assertThat(text).startsWith("imported 4 tasks of bob: 1 ended, 3 waiting again\n");
        assertThat(text).doesNotContain("is now");
        var loaded = loaded();
        assertThat(loaded.tasks())
                .extracting(task -> task.spec().name())
                .containsExactlyInAnyOrder("second", "first", "draft");
        var order = new ArrayList<>(loaded.tasks());
        order.sort(Comparator.comparing(Task::createdAt));
        assertThat(order.stream().filter(task -> task.queuedAt().isPresent()))
                .extracting(task -> task.spec().name())
                .containsExactly("first", "second");
        assertThat(loaded.last().task()).contains(new TaskId(6));
        try (var queries = new SqliteTaskQueries(Database.open(database()))) {
            var ended = queries.findWhole(new TaskId(3)).orElseThrow();
            assertThat(ended.task().state().apiName()).isEqualTo("failed");
            assertThat(ended.task().createdAt()).isEqualTo(NOON.plusSeconds(3));
            assertThat(ended.task().spec().script().text().runAs())
                    .contains(new RunAs("bob", 1042, Optional.empty()));
            assertThat(ended.attempts()).hasSize(1);
        }
    }

    @Test
    void logsComeAlongWithoutForeignLinks() throws Exception {
        run(false);

        var folder = state.resolve("node/tasks/task_3");
        assertThat(folder.resolve("tmux.log")).hasContent("epoch 1\n");
        assertThat(PosixAcl.read(folder)).contains(new PosixAcl(1042, PosixAcl.EXECUTE));
        assertThat(PosixAcl.read(folder.resolve("tmux.log")))
                .contains(new PosixAcl(1042, PosixAcl.READ | PosixAcl.WRITE));
        assertThat(PosixAcl.read(folder.resolve("exit_code")))
                .contains(new PosixAcl(1042, PosixAcl.READ));
        assertThat(PosixAcl.read(folder.resolve("run.sh"))).isEmpty();
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(folder.resolve("run.sh"))))
                .isEqualTo("rw-------");
        assertThat(Files.exists(folder.resolve("secret"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        try (var left = Files.list(state.resolve("node"))) {
            assertThat(left.map(one -> one.getFileName().toString()))
                    .containsExactlyInAnyOrder("tasks", "imports");
        }
    }

    @Test
    void theHomeGetsOnlyAMarkerAndIsImportedOnce() throws Exception {
        var before = contents();
        run(false);
        var after = contents();

        assertThat(after.remove("imported.json")).contains("\"tasks\":4");
        assertThat(after).isEqualTo(before);
        assertThatThrownBy(() -> run(false))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--again");
        assertThat(run(true)).contains("  3 is now 7\n", "  5 is now 9\n", "  4 is now 10\n");
    }

    @Test
    void idsThatAreTakenBecomeNewOnes() throws Exception {
        save(database(), List.of(new Change.TaskSaved(task(40, "of alice", Priority.HIGH))));

        var text = run(false);

        assertThat(text).contains("  3 is now 41\n", "  6 is now ");
        assertThat(state.resolve("node/tasks/task_41/tmux.log")).hasContent("epoch 1\n");
        assertThat(loaded().tasks())
                .extracting(task -> task.spec().name())
                .contains("of alice", "first");
        try (var files = Files.list(state.resolve("node/imports"))) {
            var mapping = files.findFirst().orElseThrow();
            assertThat(Files.readString(mapping)).startsWith("old\tnew\n3\t41\n");
        }
    }

    @Test
    void aHomeWithRunningTasksIsRefused() throws Exception {
        var running = task(8, "running", Priority.LOW).after(new TaskTransition.Start(1));
        save(home.resolve("runtime/tasks.db"), List.of(new Change.TaskSaved(running)));

        assertThatThrownBy(() -> run(false))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("still run: 8");
        assertThat(database()).doesNotExist();
        assertThat(home.resolve("imported.json")).doesNotExist();
    }

    @Test
    void aHomeWithALivingServerIsRefused() throws Exception {
        try (var _ = HomeLock.take(home)) {
            assertThatThrownBy(() -> run(false))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("a server runs at");
        }
    }

    @Test
    void aServerOfTheMachineThatRunsIsNotTouched() throws Exception {
        try (var _ = HomeLock.take(state.resolve("server"))) {
            assertThatThrownBy(() -> run(false)).isInstanceOf(CommandFailure.class);
        }
        assertThat(home.resolve("imported.json")).doesNotExist();
    }

    @Test
    void waitingTasksOfACommandFileAreLeftOutAndNamed() throws Exception {
        var lane = new Lane.OfFileRun(1, 2, 0, false);
        var spec = task(9, "block", Priority.LOW).spec().with(lane, OptionalInt.empty());
        var fileRun =
                new FileRun(
                        1,
                        FileMode.SINGLE,
                        OptionalInt.empty(),
                        "jobs.txt",
                        FileRun.Origin.TERMINAL,
                        BOB,
                        NOON,
                        new TaskId(9),
                        1,
                        List.of(),
                        new FileRun.Stage.Running());
        save(
                home.resolve("runtime/tasks.db"),
                List.of(
                        new Change.FileRunSaved(fileRun),
                        new Change.TaskSaved(Task.queued(new TaskId(9), BOB, spec, NOON))));

        assertThat(run(false)).contains("their command file or their model: 9;");
        assertThat(loaded().tasks()).extracting(task -> task.spec().name()).doesNotContain("block");
    }
}
