package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.Script;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/** One task from submit to exit code, as its user sees it. */
@ExtendWith(ServerHarnessExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TaskLifecycleTest {

    private static final String EXIT_BANNER = "===== Command Script Exit =====";

    private final ServerHarness harness;
    private TestApi api;

    TaskLifecycleTest(ServerHarness harness) {
        this.harness = harness;
        this.api = harness.start();
    }

    @Test
    void isReadyOnOneLine() {
        assertThat(harness.server().stdout().lines()).hasSize(1);
    }

    @Test
    void theSeedsExampleRunsFromSubmitToCompletedInItsActivatedEnvironment() throws IOException {
        var conda = harness.file("miniconda3/etc/profile.d/conda.sh");
        var environment = Files.createDirectories(harness.file("miniconda3/envs/pt212/bin"));
        var workplace = Files.createDirectories(harness.file("explist"));
        Files.createDirectories(conda.getParent());
        Files.writeString(
                conda,
                """
                conda() {
                    [ "$1" = activate ] || return 2
                    export CONDA_DEFAULT_ENV=$2
                    export PATH="%s/envs/$2/bin:$PATH"
                }
                """
                        .formatted(harness.file("miniconda3")));
        Script.write(
                environment.resolve("python"),
                """
                #!/usr/bin/env bash
                echo "$CONDA_DEFAULT_ENV runs $* in $PWD, $(head -1 "$1")"
                """);
        Files.writeString(workplace.resolve("test.py"), "print('ten')\n");

        long id =
                api.submit(
                        TaskBuilder.oneGpu(
                                """
                                source %s
                                conda activate pt212
                                cd %s
                                python test.py --num 10
                                """
                                        .formatted(conda, workplace)));

        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        var log = api.log(id, 100);
        assertInOrder(
                log,
                "===== Scheduler Environment =====",
                "PATH: ",
                "Python on PATH:",
                "===== Command Script Start =====",
                "Script PATH: ",
                "command -v python:",
                "command -v conda:",
                "pt212 runs test.py --num 10 in " + workplace + ", print('ten')",
                EXIT_BANNER,
                "PATH: " + environment + ":",
                "python -> " + environment + "/python");
        assertThat(log.getFirst()).isEqualTo("===== Scheduler Environment =====");
    }

    @Test
    void theLinesOfACommandShareOneShell() {
        assertThat(output("export X=5\ncd /tmp\necho $X $PWD")).containsExactly("5 /tmp");
    }

    @ParameterizedTest
    @CsvSource({
        "exit 3, 3, failed",
        "exit 4, 4, failed",
        "exit 0, 0, completed",
        "true, 0, completed",
        "false, 1, failed",
        "kill -9 $$, 137, failed",
        "set -e; false; echo never, 1, failed",
        "no-such-program-here, 127, failed"
    })
    void theCommandsOwnExitStatusIsKept(String command, int code, String status)
            throws IOException {
        long id = api.submit(TaskBuilder.cpu(command));
        var task = api.awaitEnd(id);
        assertThat(task.path("exit_code").asInt()).isEqualTo(code);
        assertThat(task.path("status").asString()).isEqualTo(status);
        assertThat(task.path("error").isNull()).isEqualTo(code == 0);
        var file = harness.tasks().resolve("task_" + id + "/exit_code");
        assertThat(Files.readString(file).strip()).isEqualTo(Integer.toString(code));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exit 4",
                "echo fine",
                "false",
                "set -e; false",
                "trap 'echo own trap' EXIT; exit 4"
            })
    void theLogEndsWithTheExitBanner(String command) {
        long id = api.submit(TaskBuilder.cpu(command));
        api.awaitEnd(id);
        assertInOrder(api.log(id, 100), "command -v conda:", EXIT_BANNER, "PATH: ", "python -> ");
    }

    @Test
    void aTaskThatIsOverAtOnceHasStartedToo() {
        for (int i = 0; i < 10; i++) {
            var task = api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
            assertThat(task.path("started_at").asString()).endsWith("Z");
            assertThat(task.path("finished_at").asString())
                    .isGreaterThanOrEqualTo(task.path("started_at").asString());
        }
    }

    @Test
    void theTimesOfATaskHaveAZoneAndSpanItsRun() {
        var task = api.awaitEnd(api.submit(TaskBuilder.cpu("sleep 2")));
        var created = Instant.parse(task.path("created_at").asString());
        var started = Instant.parse(task.path("started_at").asString());
        var finished = Instant.parse(task.path("finished_at").asString());
        assertThat(started).isAfterOrEqualTo(created);
        assertThat(Duration.between(started, finished))
                .isGreaterThanOrEqualTo(Duration.ofMillis(1900));
        assertThat(api.client().get("/api/tasks/999999").status()).isEqualTo(404);
        assertThat(api.client().get("/api/tasks/abc").status()).isEqualTo(422);
    }

    @Test
    void aTaskHasItsFolderWithFourFiles() throws IOException {
        long id = api.submit(TaskBuilder.cpu("echo here"));
        var task = api.awaitEnd(id);
        var folder = harness.tasks().resolve("task_" + id);
        for (var name : List.of("command.sh", "run.sh", "tmux.log", "exit_code")) {
            assertThat(folder.resolve(name)).isRegularFile();
            assertThat(folder.resolve(name).toRealPath())
                    .isEqualTo(harness.attempt(id, 1).resolve(name).toRealPath());
        }
        assertThat(Files.readString(folder.resolve("command.sh"))).contains("echo here");
        assertThat(Files.readString(folder.resolve("run.sh"))).startsWith("#!/usr/bin/env bash\n");
        assertThat(Path.of(task.path("log_path").asString()).toRealPath())
                .isEqualTo(folder.resolve("tmux.log").toRealPath());
    }

    @Test
    void bothOutputsReachTheLogInTheOrderTheyWereWritten() {
        var wanted =
                IntStream.rangeClosed(1, 200)
                        .boxed()
                        .flatMap(i -> List.of("out " + i, "err " + i).stream())
                        .toList();
        assertThat(output("for i in {1..200}; do echo out $i; echo err $i >&2; done"))
                .containsExactlyElementsOf(wanted);
    }

    @Test
    void aTaskSeesItsSettings() {
        long id =
                api.submit(
                        TaskBuilder.cpu("echo \"$LOG_FILE|$PYTHONUNBUFFERED|$WORD|$BERTH_ATTEMPT\"")
                                .env("WORD", "two words; $(and no command)"));
        api.awaitEnd(id);
        var fields = between(api.log(id, 100)).getFirst().split("\\|");
        assertThat(fields[0]).endsWith("/tmux.log");
        assertThat(fields[1]).isEqualTo("1");
        assertThat(fields[2]).isEqualTo("two words; $(and no command)");
        assertThat(fields[3]).isNotBlank();
    }

    @Test
    void aTaskSeesItsGpusAndNoOthers() {
        var echo = "echo \"[$CUDA_VISIBLE_DEVICES] $CUDA_DEVICE_ORDER\"";
        long two = api.submit(TaskBuilder.gpus(2, echo));
        var given = api.awaitEnd(two).path("assigned_gpus");
        var indices = TestApi.list(given).stream().map(index -> index.asInt()).sorted().toList();
        assertThat(indices).hasSize(2).doesNotHaveDuplicates();
        assertThat(between(api.log(two, 100)))
                .containsExactly("[" + indices.get(0) + "," + indices.get(1) + "] PCI_BUS_ID");
        assertThat(output(echo).getFirst()).startsWith("[]");
    }

    @Test
    void aCpuTaskRunsWhileAllGpusAreHeld() {
        var gate = harness.file("cards-gate");
        long holder =
                api.submit(
                        TaskBuilder.gpus(
                                4, "until [[ -e %s ]]; do sleep 0.05; done".formatted(gate)));
        api.awaitPhase(holder, "running");
        long waiting = api.submit(TaskBuilder.oneGpu("echo waited"));
        assertThat(output("echo ran")).containsExactly("ran");
        assertThat(api.status(waiting)).isEqualTo("queued");
        assertThat(api.log(waiting, 10)).isEmpty();
        touch(gate);
        assertThat(api.awaitEnd(waiting).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void aTaskInheritsNoDescriptorOfTheServerAndReadsNothing() {
        var seen =
                output(
                        "cat; for fd in /proc/$$/fd/*; do echo \"${fd##*/} $(readlink \"$fd\")\";"
                                + " done");
        assertThat(seen).contains("0 /dev/null").anyMatch(line -> line.matches("1 .*/tmux\\.log"));
        assertThat(seen).noneMatch(line -> line.contains("socket:") || line.contains("tasks.db"));
        assertThat(seen).noneMatch(line -> line.endsWith("/lock") || line.contains("berth.log"));
    }

    @Test
    void theLogIsReadableWhileTheTaskRunsAndIsCountedInLines() {
        var gate = harness.file("log-gate");
        long id =
                api.submit(
                        TaskBuilder.cpu(
                                "seq 250; until [[ -e %s ]]; do sleep 0.05; done".formatted(gate)));
        eventually("the last number is logged", () -> api.log(id, 1).equals(List.of("250")));
        var whole = api.client().get("/api/tasks/" + id + "/logs").expect(200);
        assertThat(TestApi.list(whole.path("lines"))).hasSize(100);
        assertThat(whole.path("truncated").asBoolean()).isTrue();
        assertThat(whole.path("task_id").asLong()).isEqualTo(id);
        assertThat(api.log(id, 5)).containsExactly("246", "247", "248", "249", "250");
        touch(gate);
        api.awaitEnd(id);
        var all = api.client().get("/api/tasks/" + id + "/logs?tail=1000").expect(200);
        assertThat(all.path("truncated").asBoolean()).isFalse();
    }

    /** The output of the command itself. */
    private List<String> output(String command) {
        long id = api.submit(TaskBuilder.cpu(command));
        api.awaitEnd(id);
        return between(api.log(id, 1000));
    }

    static List<String> between(List<String> log) {
        int from =
                IntStream.range(0, log.size())
                        .filter(i -> log.get(i).startsWith("command -v conda:"))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no start banner in " + log));
        int to = log.indexOf(EXIT_BANNER);
        assertThat(to).as("place of the exit banner in %s", log).isGreaterThan(from);
        return log.subList(from + 1, to);
    }

    private static void assertInOrder(List<String> log, String... beginnings) {
        int at = 0;
        for (var beginning : beginnings) {
            while (at < log.size() && !log.get(at).startsWith(beginning)) {
                at++;
            }
            assertThat(at)
                    .as("\"%s\" comes next in\n%s", beginning, String.join("\n", log))
                    .isLessThan(log.size());
            at++;
        }
    }

    static void touch(Path file) {
        try {
            Files.writeString(file, "");
        } catch (IOException e) {
            throw new UncheckedIOException("touching " + file, e);
        }
    }
}
