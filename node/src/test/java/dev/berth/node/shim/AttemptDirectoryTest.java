package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.EnvironmentName;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.process.Marker;
import dev.berth.node.process.SearchPath;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

class AttemptDirectoryTest {
    private static final String BOOT = "012562fe-2be1-4cca-9fbe-41be1bbd5ea3";

    @TempDir Path tasks;

    @Test
    void theTaskDirectoryLinksTheLatestAttempt() throws IOException {
        prepared(1).linkLatest();
        assertThat(Files.readString(tasks.resolve("task_7/command.sh"))).endsWith("echo 1\n");
        prepared(2).linkLatest();
        prepared(2).linkLatest();

        assertThat(Files.readString(tasks.resolve("task_7/command.sh"))).endsWith("echo 2\n");
        assertThat(Files.readString(tasks.resolve("task_7/attempts/1/command.sh")))
                .endsWith("echo 1\n");
        for (var name : List.of("command.sh", "run.sh", "tmux.log", "exit_code")) {
            assertThat(Files.readSymbolicLink(tasks.resolve("task_7").resolve(name)))
                    .isEqualTo(Path.of("attempts/2", name));
        }
        try (var files = Files.list(tasks.resolve("task_7"))) {
            assertThat(files).hasSize(5);
        }
    }

    @Test
    void findsTheHighestTaskId() throws IOException {
        assertThat(TaskDirectories.highestId(tasks.resolve("none"))).isZero();
        assertThat(TaskDirectories.highestId(tasks)).isZero();
        for (var name : List.of("task_9", "task_12", "task_x", "task_", "99", "task_13.old")) {
            Files.createDirectory(tasks.resolve(name));
        }

        assertThat(TaskDirectories.highestId(tasks)).isEqualTo(12);
    }

    @Test
    void readsEveryStateOfGo() throws IOException {
        var go = tasks.resolve("go");
        assertThat(GoFile.read(go)).isEqualTo(new GoFile.Absent());
        assertThat(goWith("")).isEqualTo(new GoFile.Empty());
        assertThat(goWith("12 345 " + BOOT + "\n"))
                .isEqualTo(new GoFile.Taken(new ProcessKey(BOOT, 12, 345)));
        assertThat(goWith(GoFile.TOMBSTONE)).isEqualTo(new GoFile.Tombstone());
        for (var damaged :
                List.of(
                        "12 345",
                        "12 345 " + BOOT,
                        "x",
                        "\0\0\0",
                        "12 x " + BOOT + "\n",
                        "9".repeat(9000))) {
            assertThat(goWith(damaged)).isEqualTo(new GoFile.Damaged());
        }
    }

    private GoFile goWith(String text) throws IOException {
        return GoFile.read(Files.writeString(tasks.resolve("go"), text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // published | pending | read as
                "NONE       | pending | Absent[]",
                "NONE       | NONE    | Absent[]",
                "NONE       | 3       | Code[code=3]",
                "0          | 0       | Code[code=0]",
                "137        | pending | Code[code=137]",
                "''         | 5       | Code[code=5]",
                "ZEROS      | 5       | Code[code=5]",
                "''         | pending | Absent[]",
                "garbage    | 5       | Damaged[]",
                "' 12 and 3'| 5       | Code[code=12]",
            })
    void theFirstNumberDecides(String published, String pending, String expected)
            throws IOException {
        var directory = new AttemptDirectory(tasks);
        if (!published.equals("NONE")) {
            Files.writeString(
                    directory.exitRecord(), published.equals("ZEROS") ? "\0\0\0" : published);
        }
        if (!pending.equals("NONE")) {
            Files.writeString(directory.pendingExitRecord(), "%-63s\n".formatted(pending));
        }

        assertThat(ExitRecord.read(directory)).hasToString(expected);
        ExitRecord.publish(directory);
        assertThat(ExitRecord.read(directory)).as("after it was published").hasToString(expected);
        if (expected.startsWith("Code")) {
            assertThat(directory.exitRecord()).content().contains(expected.replaceAll("\\D", ""));
        }
    }

    @Test
    void anIncompleteRecordIsIgnored() throws IOException {
        var directory = new AttemptDirectory(tasks);
        Files.writeString(directory.pendingExitRecord(), "1");

        assertThat(ExitRecord.read(directory)).isEqualTo(new ExitRecord.Absent());
        assertThat(ExitRecord.placeholder())
                .hasSize(64)
                .endsWith("\n")
                .doesNotContainPattern("\\d");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1A",
                "A-B",
                "A B",
                "A=B",
                "Ä",
                "CUDA_VISIBLE_DEVICES",
                "LOG_FILE",
                "BERTH_ATTEMPT",
                "BERTH_HOME",
                "UID",
                "SHELLOPTS",
                "berth_dir",
                "RANDOM",
                "_"
            })
    void rejectsInvalidVariableNames(String name) {
        assertThat(EnvironmentName.problem(name)).isPresent();
        assertThatThrownBy(() -> order(1, Map.of(name, "x")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"A", "_A1", "PATH", "IFS", "BASH_ENV", "LD_PRELOAD", "PYTHONUNBUFFERED"})
    void acceptsValidVariableNames(String name) {
        assertThat(EnvironmentName.problem(name)).isEmpty();
    }

    @Test
    void secretsAreNotShown() {
        assertThat(order(1, Map.of("TOKEN", "s3cret")).toString()).doesNotContain("s3cret", "echo");
        assertThatThrownBy(() -> order(1, Map.of("A", "x\0y"))).hasMessageContaining("zero byte");
    }

    private AttemptDirectory prepared(int number) throws IOException {
        var directory = AttemptDirectory.of(tasks, new AttemptId(new TaskId(7), number));
        var script =
                new ShimScript(
                        ShimTools.find(SearchPath.of(System.getenv())),
                        "0022",
                        CommandSettings.NONE);
        directory.prepare(script, order(number, Map.of()), script.bash());
        return directory;
    }

    private static ShimParameters order(int number, Map<String, String> environment) {
        return new ShimParameters(
                new Marker("h", "7." + number),
                "echo " + number,
                Path.of("/"),
                new TreeMap<>(environment),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
