package dev.berth.node.shim;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.linux.Fifo;
import dev.berth.node.process.Marker;
import dev.berth.node.process.SearchPath;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

class SpareDirectoriesTest {
    private static final LinkOption NOFOLLOW = LinkOption.NOFOLLOW_LINKS;

    @TempDir Path tasks;
    private SpareDirectories spares;
    private int nextTask = 1;

    @BeforeEach
    void open() throws IOException {
        spares = SpareDirectories.open(tasks, Duration.ZERO, Duration.ofHours(1));
    }

    @Test
    void aTaskGetsADirectoryWithAllFilesAndLinks() throws IOException {
        spares.refill();
        assertThat(spares.use(attempt(7, 1))).isTrue();

        var directory = AttemptDirectory.of(tasks, attempt(7, 1));
        assertThat(directory.create()).as("it is new").isFalse();
        assertThat(directory.log()).isEmptyFile();
        assertThat(directory.pendingExitRecord()).hasContent(ExitRecord.placeholder());
        assertThat(directory.go()).doesNotExist();
        assertThat(directory.path().resolve("go.pending")).isEmptyFile();
        for (var name : List.of("run.sh", "command.sh", "tmux.log", "exit_code")) {
            assertThat(Files.readSymbolicLink(tasks.resolve("task_7").resolve(name)))
                    .isEqualTo(Path.of("attempts/1").resolve(name));
        }
        for (var file : List.of(directory.path(), directory.path().getParent())) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rwx------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.log())))
                .isEqualTo("rw-------");
    }

    @Test
    void theFileThatBecomesGoIsForTheNativeShimAlone() throws IOException {
        var script =
                new ShimScript(
                        ShimTools.find(SearchPath.of(System.getenv())),
                        "0022",
                        CommandSettings.NONE);
        var order =
                new ShimParameters(
                        new Marker("h", "7.1"),
                        "true",
                        tasks,
                        new TreeMap<>(),
                        List.of(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());
        spares.refill();
        assertThat(spares.use(attempt(7, 1))).isTrue();
        var directory = AttemptDirectory.of(tasks, attempt(7, 1));

        directory.fill(script, order, script.bash(), true);

        assertThat(directory.commandScript()).content().endsWith("\ntrue\n");
        assertThat(directory.path().resolve("go.pending")).doesNotExist();
    }

    @Test
    void youngSparesShareTheInodesOfTheirLinks() throws IOException {
        var young = SpareDirectories.open(tasks, Duration.ofHours(1), Duration.ofHours(1));
        young.refill();
        assertThat(entries(tasks.resolve(".spare")))
                .hasSize(8)
                .allSatisfy(
                        spare ->
                                assertThat(Files.getAttribute(link(spare), "unix:nlink", NOFOLLOW))
                                        .isEqualTo(8));

        for (int task = 1; task <= 2; task++) {
            assertThat(young.use(attempt(task, 1))).isTrue();
        }
        removeTree(tasks.resolve("task_1"));
        assertThat(AttemptDirectory.of(tasks, attempt(2, 1)).isComplete()).isTrue();
    }

    @Test
    void aSpareThatMayHaveBeenChangedGivesNoLinks() throws IOException {
        spares.refill();
        assertThat(entries(tasks.resolve(".spare")))
                .allSatisfy(
                        spare ->
                                assertThat(Files.getAttribute(link(spare), "unix:nlink", NOFOLLOW))
                                        .isEqualTo(1));
    }

    @Test
    void linksThatCannotBeSharedAreCreated() throws IOException {
        var young = SpareDirectories.open(tasks, Duration.ofHours(1), Duration.ofHours(1));
        young.refill();
        for (int task = 1; task <= 6; task++) {
            assertThat(young.use(attempt(task, 1))).isTrue();
        }
        for (var spare : entries(tasks.resolve(".spare"))) {
            Files.delete(spare.resolve("tmux.log"));
        }
        young.refill();
        for (int task = 7; task <= 8; task++) {
            assertThat(young.use(attempt(task, 1))).isTrue();
        }
        for (int task = 9; task <= 14; task++) {
            assertThat(young.use(attempt(task, 1))).isTrue();
            assertThat(AttemptDirectory.of(tasks, attempt(task, 1)).isComplete()).isTrue();
        }
    }

    private static Path link(Path spare) {
        return spare.resolve("run.sh");
    }

    @Test
    void thereAreNoneBeforeTheyAreCreatedAndNeverMoreThanEight() throws IOException {
        assertThat(spares.use(attempt(1, 1))).isFalse();
        for (int i = 0; i < 3; i++) {
            spares.refill();
        }
        for (int task = 1; task <= 8; task++) {
            assertThat(spares.use(attempt(task, 1))).isTrue();
        }
        assertThat(spares.use(attempt(9, 1))).isFalse();
        assertThat(entries(tasks.resolve(".spare"))).isEmpty();

        spares.refill();
        assertThat(entries(tasks.resolve(".spare"))).hasSize(8);
    }

    @Test
    void thereAreManyOnceTasksHaveStartedAndNoneStarts() throws IOException {
        var many = SpareDirectories.open(tasks, Duration.ZERO, Duration.ofMillis(1));
        startTasks(many, 7);
        eventually("few after few tasks", () -> entries(tasks.resolve(".spare")).size() == 8);
        startTasks(many, 1);
        eventually("many", () -> entries(tasks.resolve(".spare")).size() == 64);
        many.close();
    }

    @Test
    void onlyFewAreCreatedWhileTasksStart() throws IOException {
        var idle = Duration.ofSeconds(1);
        var used = SpareDirectories.open(tasks, Duration.ZERO, idle);
        long begin = System.nanoTime();
        long last = begin;
        boolean isBusy = true;
        while (isBusy && last - begin < 3 * idle.toNanos()) {
            startTasks(used, 1);
            int count = entries(tasks.resolve(".spare")).size();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            // A busy machine may keep this thread waiting for so long that nothing starts.
            isBusy = System.nanoTime() - last < idle.toNanos() / 2;
            last = System.nanoTime();
            assertThat(isBusy ? count : 0).isLessThanOrEqualTo(8);
        }
        used.close();
    }

    @Test
    void nothingIsCreatedAfterItWasClosed() throws IOException {
        var many = SpareDirectories.open(tasks, Duration.ZERO, Duration.ofMillis(1));
        startTasks(many, 8);
        eventually("some more", () -> entries(tasks.resolve(".spare")).size() > 8);
        many.close();
        assertThat(tasks.resolve(".spare")).doesNotExist();
        many.refill();
        assertThat(tasks.resolve(".spare")).doesNotExist();
    }

    private void startTasks(SpareDirectories used, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            used.refill();
            assertThat(used.use(attempt(nextTask++, 1))).isTrue();
            used.refillSoon();
        }
    }

    @Test
    void aSecondAttemptAndATaskWithADirectoryGetNone() throws IOException {
        spares.refill();
        Files.createDirectories(tasks.resolve("task_5/attempts/1"));

        assertThat(spares.use(attempt(4, 2))).isFalse();
        assertThat(spares.use(attempt(5, 1))).isFalse();
        assertThat(entries(tasks.resolve("task_5/attempts/1"))).isEmpty();
        assertThat(entries(tasks.resolve(".spare"))).hasSize(8);
    }

    @Test
    void thoseOfAnEarlierServerAreRemoved() throws IOException {
        spares.refill();
        var next = SpareDirectories.open(tasks, Duration.ZERO, Duration.ofHours(1));
        assertThat(tasks.resolve(".spare")).doesNotExist();

        next.refill();
        assertThat(next.use(attempt(1, 1))).isTrue();
    }

    @Test
    void aServerThatStopsLeavesNone() throws IOException {
        spares.refill();
        spares.close();
        assertThat(tasks).isEmptyDirectory();

        spares.refill();
        assertThat(spares.use(attempt(1, 1))).isFalse();
        assertThat(tasks).isEmptyDirectory();
    }

    @Test
    void aSpareThatSomebodyRemovedIsNotUsed() throws IOException {
        spares.refill();
        assertThat(tasks.resolve(".spare")).isDirectory();
        SpareDirectories.open(tasks, Duration.ZERO, Duration.ofHours(1)).close();

        assertThat(spares.use(attempt(1, 1))).isFalse();
        assertThat(tasks).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "attempts",
                "attempts/1/run.sh",
                "attempts/1/command.sh",
                "attempts/1/tmux.log",
                "attempts/1/exit_code.pending",
                "run.sh",
                "exit_code"
            })
    void aSpareOfWhichAPartIsMissingIsNotUsedAsOne(String part) throws Exception {
        spares.refill();
        for (var spare : entries(tasks.resolve(".spare"))) {
            removeTree(spare.resolve(part));
        }
        assertThat(spares.use(attempt(1, 1))).isFalse();

        var directory = AttemptDirectory.of(tasks, attempt(1, 1));
        directory.create();
        directory.prepare("run", "command");
        directory.linkLatest();
        assertThat(directory.isComplete()).isTrue();
        assertThat(directory.runScript()).hasContent("run");
    }

    /** Opening it would block the thread, and with it all others after a while. */
    @Test
    void aSpareWithAFifoInPlaceOfAFileIsNotUsedAsOne() throws Exception {
        spares.refill();
        for (var spare : entries(tasks.resolve(".spare"))) {
            Files.delete(spare.resolve("attempts/1/run.sh"));
            Fifo.create(spare.resolve("attempts/1/run.sh"));
        }
        assertThat(spares.use(attempt(1, 1))).isFalse();
        var directory = AttemptDirectory.of(tasks, attempt(1, 1));
        directory.prepare("run", "command");
        assertThat(directory.runScript()).hasContent("run");
    }

    @Test
    void aSpareThatCannotBeRenamedIsKept() throws Exception {
        spares.refill();
        Files.createDirectories(tasks.resolve("task_1/attempts/1"));
        for (int i = 0; i < 20; i++) {
            assertThat(spares.use(attempt(1, 1))).isFalse();
            spares.refill();
        }
        assertThat(entries(tasks.resolve(".spare"))).hasSize(8);
    }

    private static void removeTree(Path path) throws IOException {
        try (var files = Files.walk(path)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void aDirectoryThatCannotBeWrittenToIsNoFault() throws IOException {
        Files.writeString(tasks.resolve(".spare"), "in its place");
        spares.refill();
        assertThat(spares.use(attempt(1, 1))).isFalse();
    }

    private static AttemptId attempt(long task, int number) {
        return new AttemptId(new TaskId(task), number);
    }

    private static List<Path> entries(Path directory) throws IOException {
        try (var entries = Files.list(directory)) {
            return entries.toList();
        }
    }
}
