package dev.berth.node.shim;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.AttemptRecords;
import dev.berth.node.process.Marker;
import dev.berth.node.process.SearchPath;
import dev.berth.port.recover.AttemptRecord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;

class LocalTaskFoldersTest {

    private static final TaskId SEVEN = new TaskId(7);
    private static final AttemptId FIRST = new AttemptId(SEVEN, 1);

    @TempDir Path tasks;

    @Test
    void discardedFoldersAreGoneAtOnceAndTheirFilesSoon() throws IOException {
        ended(7, 1, "0");
        ended(8, 1, "0");
        var outside = Files.writeString(tasks.resolve("outside"), "stays");
        Files.createSymbolicLink(tasks.resolve("task_7/link"), outside);
        Files.createDirectory(
                tasks.resolve("task_7/closed"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("---------")));

        try (var folders = LocalTaskFolders.open(tasks)) {
            folders.discard(List.of(SEVEN, new TaskId(99)));

            assertThat(tasks.resolve("task_7")).doesNotExist();
            assertThat(tasks.resolve("task_8/exit_code")).exists();
            awaitEmptyTrash();
            assertThat(outside).hasContent("stays");
        }
    }

    @Test
    void aDeepFolderIsDeleted() throws IOException {
        var deep = tasks.resolve("task_7");
        for (int i = 0; i < 200; i++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        Files.writeString(deep.resolve("file"), "x");

        try (var folders = LocalTaskFolders.open(tasks)) {
            folders.discard(List.of(SEVEN));
            awaitEmptyTrash();
        }
    }

    @Test
    void whatTheLastServerLeftIsDeletedAtTheStart() throws IOException {
        Files.createDirectories(tasks.resolve(".trash/12/attempts/1"));

        try (var _ = LocalTaskFolders.open(tasks)) {
            awaitEmptyTrash();
        }
    }

    @Test
    void aFoldedTaskHasSixInodesAndTellsTheSame() throws IOException {
        var directory = ended(7, 1, "3");
        assertThat(inodes()).isEqualTo(14);
        try (var folders = LocalTaskFolders.open(tasks)) {
            assertThat(folders.fold(List.of(SEVEN))).isEqualTo(1);

            assertThat(inodes()).isEqualTo(6);
            var folded = AttemptDirectory.find(tasks, new AttemptId(SEVEN, 1));
            assertThat(folded.path()).isEqualTo(tasks.resolve("task_7"));
            assertThat(folded.log()).hasContent("out");
            assertThat(Files.readString(folded.runScript())).contains("# Attempt 7.1");
            assertThat(folded.commandScript()).exists();
            assertThat(GoFile.read(folded.go())).isInstanceOf(GoFile.Tombstone.class);
            assertThat(ExitRecord.read(folded)).isEqualTo(new ExitRecord.Code(3));
            assertThat(directory.path()).doesNotExist();
            assertThat(TaskDirectories.attempts(tasks, SEVEN)).containsExactly(1);
            assertThat(AttemptRecords.read(tasks, FIRST, Optional.empty()).outcome())
                    .isEqualTo(new AttemptRecord.Outcome.Exited(3));
            awaitEmptyTrash();
            assertThat(folders.fold(List.of(SEVEN))).as("a second time").isZero();
        }
    }

    @Test
    void theFileThatBecomesGoIsNotKept() throws IOException {
        var unused = Files.createFile(ended(7, 1, "3").path().resolve("go.pending"));
        try (var folders = LocalTaskFolders.open(tasks)) {
            assertThat(folders.fold(List.of(SEVEN))).isEqualTo(1);
            assertThat(inodes()).isEqualTo(6);
            awaitEmptyTrash();
        }
        assertThat(unused).doesNotExist();
    }

    /** The deleter runs all the time: what is being folded must not look deletable to it. */
    @Test
    void nothingIsLostWhenTheTrashIsEmptiedMeanwhile() throws IOException {
        var all = LongStream.rangeClosed(1, 300).mapToObj(TaskId::new).toList();
        for (var id : all) {
            ended(id.value(), 1, "3");
        }
        try (var folders = LocalTaskFolders.open(tasks)) {
            for (var id : all) {
                assertThat(folders.fold(List.of(id))).isEqualTo(1);
            }
            for (var id : all) {
                var folded = AttemptDirectory.find(tasks, new AttemptId(id, 1));
                assertThat(folded.log()).hasContent("out");
                assertThat(ExitRecord.read(folded)).isEqualTo(new ExitRecord.Code(3));
                assertThat(folded.commandScript()).exists();
            }
            awaitEmptyTrash();
        }
    }

    @Test
    void whatAnInterruptedFoldLeftIsDeletedAtTheStart() throws IOException {
        Files.createDirectories(tasks.resolve(".folding/7"));
        ended(7, 1, "0");

        try (var folders = LocalTaskFolders.open(tasks)) {
            assertThat(folders.fold(List.of(SEVEN))).isEqualTo(1);
            awaitEmptyTrash();
        }
        assertThat(isEmpty(tasks.resolve(".folding"))).isTrue();
    }

    @Test
    void aRecordThatOnlyTheReservedFileHoldsIsPublishedFirst() throws IOException {
        var directory = ended(7, 1, "");
        Files.writeString(directory.pendingExitRecord(), "%-63s%n".formatted("9"));
        try (var folders = LocalTaskFolders.open(tasks)) {
            assertThat(folders.fold(List.of(SEVEN))).isEqualTo(1);
        }

        var folded = AttemptDirectory.find(tasks, new AttemptId(SEVEN, 1));
        assertThat(ExitRecord.read(folded)).isEqualTo(new ExitRecord.Code(9));
    }

    @Test
    void foldersWithSeveralAttemptsOrForeignFilesAreLeftAlone() throws IOException {
        ended(1, 1, "1");
        ended(1, 2, "0");
        ended(2, 1, "0");
        Files.writeString(tasks.resolve("task_2/attempts/1/model.pt"), "mine");
        ended(3, 1, "0");
        Files.writeString(tasks.resolve("task_3/notes"), "mine");
        ended(4, 1, "0");
        Files.delete(tasks.resolve("task_4/attempts/1/tmux.log"));
        Files.createDirectory(tasks.resolve("task_4/attempts/1/tmux.log"));

        try (var folders = LocalTaskFolders.open(tasks)) {
            assertThat(folders.fold(ids(1, 2, 3, 4, 5))).isZero();
        }
        assertThat(tasks.resolve("task_2/attempts/1/model.pt")).hasContent("mine");
        assertThat(AttemptDirectory.find(tasks, new AttemptId(new TaskId(1), 1)).path())
                .isEqualTo(tasks.resolve("task_1/attempts/1"));
    }

    @Test
    void nothingIsPreparedInAFoldedFolder() throws IOException {
        ended(7, 1, "0");
        try (var folders = LocalTaskFolders.open(tasks)) {
            folders.fold(List.of(SEVEN));
        }
        var folded = AttemptDirectory.find(tasks, new AttemptId(SEVEN, 1));

        assertThatThrownBy(() -> folded.prepare(script(), parameters(7, 1), script().bash()))
                .hasMessageContaining("has ended already");
        folded.linkLatest();
        assertThat(inodes()).isEqualTo(6);
    }

    private AttemptDirectory ended(long task, int number, String code) throws IOException {
        var directory = AttemptDirectory.of(tasks, new AttemptId(new TaskId(task), number));
        directory.prepare(script(), parameters(task, number), script().bash());
        directory.linkLatest();
        GoFile.writeTombstone(directory.go());
        Files.writeString(directory.log(), "out");
        Files.writeString(directory.path().resolve("command.end"), "/bin");
        Files.writeString(directory.exitRecord(), code);
        return directory;
    }

    private static ShimScript script() throws IOException {
        return new ShimScript(
                ShimTools.find(SearchPath.of(System.getenv())), "0022", CommandSettings.NONE);
    }

    private static ShimParameters parameters(long task, int number) {
        return new ShimParameters(
                new Marker("test", task + "." + number),
                "echo",
                Path.of("/"),
                new TreeMap<>(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static List<TaskId> ids(long... values) {
        return java.util.Arrays.stream(values).mapToObj(TaskId::new).toList();
    }

    private long inodes() throws IOException {
        try (var entries = Files.walk(tasks.resolve("task_7"))) {
            return entries.count();
        }
    }

    private void awaitEmptyTrash() {
        eventually("the trash is empty", () -> isEmpty(tasks.resolve(".trash")));
    }

    private static boolean isEmpty(Path directory) {
        try (var entries = Files.list(directory)) {
            return entries.findAny().isEmpty();
        } catch (IOException e) {
            return !Files.exists(directory, LinkOption.NOFOLLOW_LINKS);
        }
    }
}
