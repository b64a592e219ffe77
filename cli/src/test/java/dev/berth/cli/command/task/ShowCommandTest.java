package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleTaskJson;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.Collections;
import java.util.List;
import java.util.Map;

class ShowCommandTest {

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void task(SampleTaskJson task) {
        fixture.server().on("GET /api/tasks/" + task.fields().get("id"), task.toString());
    }

    private static Map<String, Object> reason(String detail, Object... parts) {
        return Map.of("detail", detail, "code", "x", "params", Map.of(), "parts", List.of(parts));
    }

    private static SampleTaskJson modelTask() {
        return SampleTaskJson.detail(7)
                .with("command", "")
                .with("model_name", "mace")
                .with("task_type", "relax")
                .with("params", Map.of("n", 500));
    }

    @Test
    void aModelTaskShowsItsParamsAndItsResultInsteadOfACommand() {
        task(modelTask().ended("completed", 0).with("result", List.of(-1.5, "\u001b[2J")));
        assertThat(fixture.run("show", "7").out())
                .contains("  gpus        1: 0 (worker of mace)\n")
                .contains("  model       mace\n  task type   relax\n")
                .endsWith("  params      {\"n\": 500}\n  result      [-1.5, \"\\u001b[2J\"]\n")
                .doesNotContain("command")
                .doesNotContain("directory")
                .doesNotContain("--json");
    }

    @Test
    void theHiddenCommandOfAnotherUserHasAReason() {
        task(SampleTaskJson.detail(7).with("command", "").with("owner", "ann"));
        assertThat(fixture.run("show", "7").out())
                .contains("  command     (only ann and admins see the command and the log)\n");
    }

    @Test
    void aModelTaskThatHasNotCompletedHasNoResult() {
        task(modelTask().running(0).with("result", null));
        assertThat(fixture.run("show", "7").out()).endsWith("  params      {\"n\": 500}\n");
        task(modelTask().with("id", 8).ended("completed", 0).with("result", null));
        assertThat(fixture.run("show", "8").out()).endsWith("  result      null\n");
    }

    @Test
    void aLongResultIsCutWithAHint() {
        List<String> rows = Collections.nCopies(100, "x".repeat(60));
        task(modelTask().ended("completed", 0).with("result", rows));
        assertThat(fixture.run("show", "7").out().lines().skip(10))
                .filteredOn(line -> line.contains("xxx"))
                .hasSize(19);
        task(modelTask().with("id", 8).ended("completed", 0).with("result", "x".repeat(5000)));
        for (String id : List.of("7", "8")) {
            assertThat(fixture.run("show", id).out())
                    .hasSizeLessThan(3000)
                    .endsWith("              … `berth show " + id + " --json` prints all of it\n");
        }
    }

    @Test
    void aFailedTaskShowsWhyWhatToDoAndWhatItUsed() {
        task(
                SampleTaskJson.detail(7)
                        .with("status", "failed")
                        .with("exit_code", 1)
                        .with("error", "CUDA out of memory")
                        .with("error_type", "oom")
                        .with(
                                "diagnosis",
                                Map.of(
                                        "cause", "oom",
                                        "line", "torch.OutOfMemoryError: CUDA out of memory.",
                                        "advice", "The card's memory was not enough.",
                                        "params", Map.of(),
                                        "redo",
                                                Map.of(
                                                        "memory_gb",
                                                        30.0,
                                                        "env",
                                                        Map.of("A", "1 2"))))
                        .with(
                                "usage",
                                Map.of(
                                        "peak_memory_mb", 11264,
                                        "mean_memory_mb", 9216,
                                        "peak_utilization", 99,
                                        "mean_utilization", 71,
                                        "memory_asked_mb", 20480)));
        assertThat(fixture.run("show", "7").out())
                .contains("  because     torch.OutOfMemoryError: CUDA out of memory.\n")
                .contains("  advice      The card's memory was not enough.\n")
                .contains("  try         berth clone 7 --memory 30G --env 'A=1 2'\n")
                .contains(
                        "  memory      11.0 GiB at most, 9.0 GiB on average, 20.0 GiB asked for\n")
                .contains("  busy        71 % on average, 99 % at most\n");
    }

    @Test
    void aRunningTaskShowsHowFarItHasCome() {
        task(
                SampleTaskJson.detail(7)
                        .with("status", "running")
                        .with(
                                "progress",
                                Map.of(
                                        "done", 30,
                                        "total", 100,
                                        "percent", 30,
                                        "unit", "epoch",
                                        "line", "epoch 30/100",
                                        "stalled_seconds", 720)));
        assertThat(fixture.run("show", "7").out())
                .contains("  progress    30 %, epoch 30 of 100, NO PROGRESS for 12m\n");
    }

    @Test
    void aWaitingTaskShowsWhy() {
        task(
                SampleTaskJson.detail(7)
                        .with("gpu_count", 2)
                        .with("gpu_type", "A100")
                        .with("memory_gb", 20)
                        .with("priority", "HIGH")
                        .with("position", 3)
                        .with("env", List.of("A", "B"))
                        .with("eta_reason", reason("task 5 has no earlier runs"))
                        .with(
                                "wait_reasons",
                                List.of(
                                        reason("2 cards wanted, 1 free", reason("card 0 is held")),
                                        reason("behind task 5"))));
        assertThat(fixture.run("show", "7"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                Task 7  task-7  queued
                                  gpus        2 × A100, 20G each
                                  priority    HIGH
                                  owner       ada
                                  directory   /home/ada
                                  environment A B
                                  created     2025-11-15 05:59:00 (1m ago)
                                  position    3 ahead of it
                                  starts      not known: task 5 has no earlier runs
                                  waits for   2 cards wanted, 1 free
                                                card 0 is held
                                              behind task 5
                                  command     python train.py
                                              echo done
                                """,
                                ""));
    }

    @Test
    void expectedTimesAreShownWithTheirRange() {
        task(
                SampleTaskJson.detail(7)
                        .with("eta", "2025-11-15T06:12:00Z")
                        .with("eta_latest", "2025-11-15T07:59:40Z")
                        .with("expected_end", "2025-11-15T07:55:00Z")
                        .with("expected_end_latest", "2025-11-15T07:55:20Z"));
        assertThat(fixture.run("show", "7").out())
                .contains("  starts      in about 12m, at the latest in 2h\n")
                .contains("  ends        in about 1h55m\n");
    }

    @Test
    void everythingThatWasAskedForIsShown() {
        task(
                SampleTaskJson.detail(7)
                        .with("gpu_count", 2)
                        .with("max_gpu", 4)
                        .with("devices", "0,1,2,3")
                        .with("memory_gb", 8)
                        .with("share", true)
                        .with("model_name", "mace")
                        .with("task_type", "relax")
                        .with("structure_n_atoms", 0)
                        .with("timeout_seconds", 5400)
                        .with("queued_at", "2025-11-15T05:59:50Z"));
        assertThat(fixture.run("show", "7").out())
                .startsWith(
                        """
                        Task 7  task-7  queued
                          gpus        2-4, 8G each, only on 0,1,2,3, shared
                          model       mace
                          task type   relax
                          atoms       0
                          time limit  1h30m
                          owner       ada
                          directory   /home/ada
                          created     2025-11-15 05:59:00 (1m ago)
                          queued      2025-11-15 05:59:50 (10s ago)
                        """);
    }

    @Test
    void aTaskOfARunShowsItsLaneAndItsRetries() {
        task(
                SampleTaskJson.detail(7)
                        .with("lane", "3/1")
                        .with("run", 3)
                        .with("uni_id", "1731650340_1_0")
                        .with("retry_count", 3)
                        .with("max_retries", null)
                        .with("backoff_until", "2025-11-15T06:09:30Z")
                        .with("error", "exit code 1")
                        .with("error_type", "oom"));
        assertThat(fixture.run("show", "7").out())
                .contains(
                        """
                          lane        3/1
                          run         3
                          uni id      1731650340_1_0
                          retries     3, without end
                          retry after 2025-11-15 06:09:30 (9m more)
                          owner       ada
                        """)
                .contains(
                        """
                          error       exit code 1
                          error type  oom
                        """);
    }

    @ParameterizedTest
    @CsvSource({"2, 5, 2 of 5", "0, 5, 0 of 5", "1, 0, 1 of 0"})
    void retriesThatMayBeAreCounted(int retries, int most, String shown) {
        task(SampleTaskJson.detail(7).with("retry_count", retries).with("max_retries", most));
        assertThat(fixture.run("show", "7").out()).contains("  retries     " + shown + "\n");
    }

    @Test
    void aTaskThatIsNeverRetriedDoesNotSpeakOfIt() {
        task(SampleTaskJson.detail(7).with("max_retries", 0));
        task(SampleTaskJson.detail(8).with("max_retries", null));
        assertThat(fixture.run("show", "7", "8").out())
                .doesNotContain("retries", "lane", "run ", "uni id", "retry after");
    }

    @Test
    void aDraftShowsWhatItWaitsFor() {
        task(
                SampleTaskJson.detail(7)
                        .with("status", "pending")
                        .with("phase", "pending")
                        .with("queued_at", null));
        assertThat(fixture.run("show", "7").out())
                .startsWith("Task 7  task-7  pending\n")
                .contains("  waits for   you: `berth queue 7` or `berth launch 7`\n")
                .doesNotContain("  queued  ");
    }

    @Test
    void theFirstInTheQueueIsNext() {
        task(SampleTaskJson.detail(7).with("position", 0));
        assertThat(fixture.run("show", "7").out()).contains("position    next in the queue\n");
    }

    @Test
    void anEndedTaskShowsHow() {
        fixture.clock().zone(ZoneId.of("Asia/Shanghai"));
        Map<String, Object> attempt =
                Map.of("number", 1, "phase", "ended", "gpus", List.of(0), "error", "exit code 3");
        task(
                SampleTaskJson.detail(7)
                        .failed(3)
                        .with("log_path", "/x/tmux.log")
                        .with("tmux_session", "task_7")
                        .with("attempts", List.of(attempt, Map.of("number", 2, "phase", "ended"))));
        assertThat(fixture.run("show", "7").out())
                .isEqualTo(
                        """
                        Task 7  task-7  failed
                          gpus        1: 0
                          owner       ada
                          directory   /home/ada
                          created     2025-11-15 13:59:00 (1m ago)
                          started     2025-11-15 13:59:30 (30s ago)
                          finished    2025-11-15 13:59:50 (10s ago)
                          ran         20s
                          exit code   3
                          error       exit code 3
                          log         /x/tmux.log
                          tmux        task_7
                          attempts    1  ended  on 0  exit code 3
                                      2  ended
                          command     python train.py
                                      echo done
                        """);
    }

    @Test
    void aRunningTaskShowsHowLong() {
        task(SampleTaskJson.detail(7).running().with("devices", "cpu").with("phase", "lost"));
        assertThat(fixture.run("show", "7").out())
                .contains(
                        "Task 7  task-7  running (lost)\n",
                        "gpus        none (cpu)\n",
                        "ran         30s\n")
                .doesNotContain("attempts");
    }

    @Test
    void aHostileTaskIsShownSafely() {
        task(
                SampleTaskJson.detail(7)
                        .with("name", "a\u001b[2J")
                        .with("owner", "b\nc")
                        .with("error", "\u202ed")
                        .with("command", "echo \u001b]0;x\u0007\n\r\tok\n\n"));
        assertThat(fixture.run("show", "7").out())
                .contains("a\\e[2J  queued", "owner       b\\nc", "error       \\u202ed")
                .contains("command     echo \\e]0;x\\u0007\n              \\r\\tok\n")
                .doesNotContain("\u001b", "\u202e");
    }

    @Test
    void aTerminalGetsColours() {
        fixture.setTerminal(true);
        task(SampleTaskJson.detail(7).failed(1));
        assertThat(fixture.run("show", "7").out())
                .startsWith("\u001b[1mTask 7\u001b[0m  task-7  \u001b[31mfailed\u001b[0m\n");
    }

    @Test
    void severalTasksAtOnceAndOneFailureDoesNotStopTheOthers() {
        task(SampleTaskJson.detail(1));
        task(SampleTaskJson.detail(3));
        fixture.server()
                .on(
                        "GET /api/tasks/2",
                        fixture.server().json(404, "{\"detail\":\"No such task.\"}"));
        Result result = fixture.run("show", "1", "2", "3");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).contains("Task 1", "Task 3");
        assertThat(result.err()).isEqualTo("berth: task 2: No such task.\n");
    }

    @Test
    void jsonIsOneObjectForOneIdAndAnArrayForSeveral() {
        fixture.server().on("GET /api/tasks/1", "{\"id\":1}\n");
        fixture.server()
                .on("GET /api/tasks/2", fixture.server().chunked("{\"id\":2,\"名\":\"训练\"}", 3));
        assertThat(fixture.run("show", "1", "--json").out()).isEqualTo("{\"id\":1}\n");
        assertThat(fixture.run("show", "1", "2", "--json").out())
                .isEqualTo("[{\"id\":1},{\"id\":2,\"名\":\"训练\"}]\n");
        assertThat(fixture.run("show", "1", "9", "--json").out()).isEqualTo("[{\"id\":1}]\n");
        assertThat(fixture.run("show", "8", "9", "--json").out()).isEqualTo("[]\n");
        assertThat(fixture.run("show", "9", "--json").out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "0", "-7", "1.5", "99999999999999999999", "\u001b[2J"})
    void whatIsNoIdIsNotUnderstood(String word) {
        Result result = fixture.run("show", "1", "--", word);
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("is not a task id: ids are numbers from 1 up\nUsage: ");
        assertThat(result.err()).doesNotContain("\u001b");
        assertThat(fixture.server().received()).as("nothing is done by halves").isEmpty();
    }

    @Test
    void noIdIsAUsageError() {
        assertThat(fixture.run("show").err())
                .startsWith("berth: give a task id (`berth ls` lists them)\nUsage: ");
    }
}
