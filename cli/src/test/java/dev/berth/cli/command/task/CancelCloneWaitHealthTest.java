package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleTaskJson;
import dev.berth.cli.fixture.StubServer;
import dev.berth.cli.fixture.StubServer.StubReply;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

class CancelCloneWaitHealthTest {

    @TempDir private Path root;
    private CliFixture fixture;
    private StubServer server;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        server = fixture.server();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private StubReply task(SampleTaskJson task) {
        return server.json(200, task.toString());
    }

    private static String await(long id) {
        return "GET /api/tasks/" + id + "/wait?seconds=30";
    }

    private void ends(SampleTaskJson task) {
        server.on(await((Long) task.fields().get("id")), task.toString());
    }

    @Test
    void cancelReturnsWhenItIsTakenDown() {
        server.on(
                "POST /api/tasks/1/cancel",
                task(SampleTaskJson.detail(1).ended("cancelled", null)));
        server.on(
                "POST /api/tasks/2/cancel",
                task(SampleTaskJson.detail(2).running(0).with("phase", "stopping")));
        assertThat(fixture.run("cancel", "1", "2"))
                .isEqualTo(new Result(0, "1 cancelled\n2 stopping\n", ""));
    }

    @Test
    void cancelWaitsIfAsked() {
        server.on(
                "POST /api/tasks/2/cancel",
                task(SampleTaskJson.detail(2).running(0).with("phase", "stopping")));
        server.on(
                await(2),
                task(SampleTaskJson.detail(2).running(0)),
                task(SampleTaskJson.detail(2).ended("cancelled", null)));
        assertThat(fixture.run("cancel", "2", "--wait"))
                .isEqualTo(new Result(0, "2 cancelled\n", ""));
    }

    @Test
    void allAreCancelledBeforeItWaitsForTheFirst() {
        for (int id = 1; id <= 2; id++) {
            server.on(
                    "POST /api/tasks/" + id + "/cancel",
                    task(SampleTaskJson.detail(id).running(0).with("phase", "stopping")));
            server.on(await(id), task(SampleTaskJson.detail(id).ended("cancelled", null)));
        }
        assertThat(fixture.run("cancel", "--wait", "1", "2"))
                .isEqualTo(new Result(0, "1 cancelled\n2 cancelled\n", ""));
        assertThat(server.requestLines())
                .containsExactly(
                        "POST /api/tasks/1/cancel", "POST /api/tasks/2/cancel", await(1), await(2));
    }

    @Test
    void aFinishedTaskCannotBeCancelled() {
        server.on(
                "POST /api/tasks/1/cancel",
                server.json(409, "{\"detail\":\"Task 1 is already completed.\",\"code\":\"x\"}"));
        server.on(
                "POST /api/tasks/2/cancel",
                task(SampleTaskJson.detail(2).ended("cancelled", null)));
        assertThat(fixture.run("cancel", "1", "2"))
                .isEqualTo(new Result(1, "2 cancelled\n", "berth: Task 1 is already completed.\n"));
    }

    @Test
    void aCancelWhoseAnswerIsLostIsNotRepeated() {
        server.on("POST /api/tasks/1/cancel", server.closeWithoutReply());
        Result result = fixture.run("cancel", "1");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("berth: task 1: no answer from the server at " + fixture.home())
                .endsWith(
                        "the request may or may not have been carried out: check with `berth"
                                + " ls`\n");
        assertThat(server.received()).hasSize(1);
    }

    @Test
    void clonePrintsTheNewIds() {
        server.on(
                "POST /api/tasks/1/clone", server.json(201, SampleTaskJson.detail(11).toString()));
        server.on(
                "POST /api/tasks/2/clone", server.json(201, SampleTaskJson.detail(12).toString()));
        assertThat(fixture.run("clone", "1", "2")).isEqualTo(new Result(0, "11\n12\n", ""));
        assertThat(server.received())
                .extracting(seen -> seen.headers().get("idempotency-key"))
                .doesNotContainNull()
                .doesNotHaveDuplicates();
        assertThat(fixture.run("clone", "1", "--json").out()).startsWith("{\"id\":11,");
    }

    @Test
    void aCloneMayBeDifferent() {
        server.on(
                "POST /api/tasks/1/clone", server.json(201, SampleTaskJson.detail(11).toString()));
        assertThat(
                        fixture.run(
                                "clone",
                                "1",
                                "--memory",
                                "24G",
                                "--time",
                                "2h",
                                "--env",
                                "NCCL_DEBUG=INFO"))
                .isEqualTo(new Result(0, "11\n", ""));
        assertThat(server.received().getFirst().body())
                .contains("\"memory_gb\":24")
                .contains("\"timeout_seconds\":7200")
                .contains("\"env\":{\"NCCL_DEBUG\":\"INFO\"}");
    }

    @Test
    void aCloneWhoseAnswerIsLostIsRepeatedWithTheSameKey() {
        server.on(
                "POST /api/tasks/1/clone",
                server.closeWithoutReply(),
                server.json(200, SampleTaskJson.detail(11).toString()));
        assertThat(fixture.run("clone", "1")).isEqualTo(new Result(0, "11\n", ""));
        assertThat(server.received())
                .hasSize(2)
                .extracting(seen -> seen.headers().get("idempotency-key"))
                .containsOnly(server.received().getFirst().headers().get("idempotency-key"));
    }

    @Test
    void waitEndsAsTheTaskDid() {
        ends(SampleTaskJson.detail(1).ended("completed", 0));
        ends(SampleTaskJson.detail(2).failed(3));
        ends(SampleTaskJson.detail(3).ended("cancelled", 143));
        ends(SampleTaskJson.detail(4).ended("failed", null).with("error", "machine restarted"));
        ends(SampleTaskJson.detail(5).ended("failed", 0));
        ends(SampleTaskJson.detail(6).ended("failed", 300));
        assertThat(fixture.run("wait", "1")).isEqualTo(new Result(0, "1 completed\n", ""));
        assertThat(fixture.run("wait", "2"))
                .isEqualTo(new Result(3, "2 failed: exit code 3\n", ""));
        assertThat(fixture.run("wait", "3")).isEqualTo(new Result(130, "3 cancelled\n", ""));
        assertThat(fixture.run("wait", "4"))
                .isEqualTo(new Result(1, "4 failed: machine restarted\n", ""));
        assertThat(fixture.run("wait", "5").status()).isEqualTo(1);
        assertThat(fixture.run("wait", "6").status()).isEqualTo(1);
    }

    @Test
    void waitForSeveralEndsWithTheFirstThatWentWrong() {
        ends(SampleTaskJson.detail(1).ended("completed", 0));
        ends(SampleTaskJson.detail(2).failed(3));
        ends(SampleTaskJson.detail(3).ended("cancelled", null));
        Result result = fixture.run("wait", "1", "2", "3");
        assertThat(result.status()).isEqualTo(3);
        assertThat(result.out()).isEqualTo("1 completed\n2 failed: exit code 3\n3 cancelled\n");
        assertThat(fixture.run("wait", "9", "2").status()).as("9 is unknown").isEqualTo(1);
    }

    @Test
    void waitAsksAgainUntilTheTaskHasEnded() {
        StubReply running = task(SampleTaskJson.detail(1).running(0));
        server.on(await(1), running, running, task(SampleTaskJson.detail(1).ended("completed", 0)));
        assertThat(fixture.run("wait", "1", "--json").out()).startsWith("{\"id\":1,");
        assertThat(server.received()).hasSize(3);
        assertThat(fixture.clock().sleptTotal().toMillis())
                .as("a server that does not hold the question is not flooded")
                .isEqualTo(400);
    }

    @Test
    void waitOutlastsARestartOfTheServer() {
        server.on(
                await(1),
                server.after(() -> server.close(), server.closeWithoutReply()),
                task(SampleTaskJson.detail(1).failed(5)));
        fixture.clock()
                .onSleep(
                        () -> {
                            if (fixture.clock().sleptTotal().toSeconds() == 30) {
                                fixture.clock().onSleep(() -> {});
                                server.start();
                            }
                        });
        Result result = fixture.run("wait", "1");
        assertThat(result.status()).isEqualTo(5);
        assertThat(result.err())
                .isEqualTo("berth: lost the server at " + fixture.home() + "; retrying\n");
    }

    @Test
    void aHostileErrorIsPrintedSafely() {
        ends(SampleTaskJson.detail(1).ended("failed", 1).with("error", "\u001b[2J\n"));
        assertThat(fixture.run("wait", "1").out()).isEqualTo("1 failed: \\e[2J\\n\n");
    }

    /** All checks succeed, except for replies that the test has set already. */
    private void restIsWell(String... besides) {
        Map<String, String> well =
                Map.of(
                        "/api/server",
                        "{\"version\":\"0.1.0\",\"pid\":42,"
                                + "\"started_at\":\"2025-11-15T03:00:00Z\"}",
                        "/api/queue?limit=1",
                        queue("\"scheduler_running\":true,\"paused\":null,\"waiting_too_long\":0"),
                        "/api/gpus",
                        "[{\"index\":0,\"status\":\"free\"},{\"index\":1,\"status\":\"busy\"}]",
                        "/api/health",
                        "{\"status\":\"ok\"}");
        well.forEach(
                (path, body) -> {
                    if (!List.of(besides).contains(path)) {
                        server.on("GET " + path, body);
                    }
                });
    }

    private static String queue(String more) {
        return """
        {"queued":3,"running":1,"pending":0,"longest_wait_seconds":95.5,
        "longest_wait_task_id":5,"wait_warn_seconds":60,"priorities":{"NORMAL":3},%s}
        """
                .formatted(more);
    }

    @Test
    void healthReportsPartByPartThatAllIsWell() {
        restIsWell();
        assertThat(fixture.run("health"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                server     ok    version 0.1.0, pid 42, up 3h
                                scheduler  ok    running
                                queue      ok    3 queued (3 NORMAL), 1 running, longest wait 1m (task 5)
                                GPUs       ok    2 read
                                """,
                                ""));
        assertThat(fixture.run("health", "--json").out())
                .startsWith(
                        "{\"status\":\"ok\",\"checks\":[{\"name\":\"server\",\"ok\":true,"
                                + "\"detail\":\"version 0.1.0, pid 42, up 3h\"},");
        assertThat(fixture.run("health", "x").status()).isEqualTo(2);
    }

    @Test
    void aGpuThatAPersonQuarantinedIsNoFault() {
        server.on(
                "GET /api/gpus",
                server.json(
                        200,
                        """
                        [{"index":0,"status":"free"},{"index":1,"status":"error","why":"a fan",
                          "fault":{"kind":"person","why":"a fan","since":"","stage":"out"}}]
                        """));
        restIsWell("/api/gpus");
        Result result = fixture.run("health");
        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("GPUs       ok    2 read; GPU 1 quarantined: a fan\n");
    }

    /** The reply of the server, and the one line that then fails. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/api/server | 500 | {\"detail\":\"A defect.\"} | server     FAIL  A defect.",
                "/api/gpus | 200 | [{\"index\":0,\"status\":\"free\"},"
                        + "{\"index\":1,\"status\":\"unknown\",\"why\":\"no answer\"},"
                        + "{\"index\":2,\"status\":\"error\"}]"
                        + " | GPUs       FAIL  GPU 1 unknown: no answer; GPU 2 error",
                "/api/gpus | 200 | {} | GPUs       FAIL  the server sent no list of GPUs",
                "/api/health | 503 | {\"status\":\"failing\"}"
                        + " | problem    FAIL  the server says 'failing', and not why",
                "/api/health | 503 | {\"status\":\"failing\",\"problems\":[\"x\\u001b[2J\"]}"
                        + " | problem    FAIL  x\\e[2J",
            })
    void healthNamesThePartThatFails(String path, int status, String body, String line) {
        server.on("GET " + path, server.json(status, body));
        restIsWell(path);
        Result result = fixture.run("health");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out().lines().filter(one -> one.contains("FAIL"))).containsExactly(line);
        assertThat(fixture.run("health", "--json").out()).startsWith("{\"status\":\"failing\",");
    }

    @Test
    void healthShowsWhatIsWrong() {
        server.on(
                "GET /api/queue?limit=1",
                server.json(
                        200,
                        queue(
                                """
                                "scheduler_running":false,"waiting_too_long":2,"paused":
                                {"detail":"Nothing starts: ada stopped it.","code":"paused.stopped"}
                                """)),
                server.json(
                        200,
                        queue(
                                "\"scheduler_running\":true,\"paused\":{\"detail\":\"Disk is"
                                        + " low.\",\"code\":\"paused.x\"}")));
        server.on(
                "GET /api/health",
                server.json(503, "{\"status\":\"failing\",\"problems\":[\"a\",\"b\"]}"));
        restIsWell("/api/queue?limit=1", "/api/health");
        assertThat(fixture.run("health"))
                .isEqualTo(
                        new Result(
                                1,
                                """
                                server     ok    version 0.1.0, pid 42, up 3h
                                scheduler  FAIL  stopped: Nothing starts: ada stopped it. `berth scheduler start` starts it
                                queue      FAIL  3 queued (3 NORMAL), 1 running, longest wait 1m (task 5), 2 longer than 1m
                                GPUs       ok    2 read
                                problem    FAIL  a
                                problem    FAIL  b
                                """,
                                ""));
        assertThat(fixture.run("health").out()).contains("scheduler  FAIL  paused: Disk is low.\n");
    }

    @Test
    void aServerThatIsNotThereIsTheLineThatFails() {
        server.close();
        assertThat(fixture.run("health"))
                .isEqualTo(
                        new Result(
                                1,
                                "server     FAIL  No Berth server at "
                                        + fixture.home()
                                        + ": start one with `berth start`\n",
                                ""));
        assertThat(fixture.run("health", "--json").out())
                .startsWith(
                        "{\"status\":\"failing\",\"checks\":[{\"name\":\"server\",\"ok\":false,");
    }

    @Test
    void aMachineWithoutGpusIsWell() {
        server.on("GET /api/gpus", "[]");
        restIsWell("/api/gpus");
        Result result = fixture.run("health");
        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("GPUs       ok    none here\n");
    }
}
