package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.stage.Stage;
import dev.berth.cli.stage.Stage.Result;
import dev.berth.cli.stage.StubServer;
import dev.berth.cli.stage.StubServer.Answer;
import dev.berth.cli.stage.TaskJson;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class CancelCloneWaitHealthTest {

    @TempDir private Path root;
    private Stage stage;
    private StubServer server;

    @BeforeEach
    void open() {
        stage = new Stage(root);
        server = stage.server();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private Answer task(TaskJson task) {
        return server.json(200, task.toString());
    }

    private static String await(long id) {
        return "GET /api/tasks/" + id + "/wait?seconds=30";
    }

    private void ends(TaskJson task) {
        server.on(await((Long) task.fields().get("id")), task.toString());
    }

    @Test
    void cancelReturnsWhenItIsTakenDown() {
        server.on("POST /api/tasks/1/cancel", task(TaskJson.detail(1).ended("cancelled", null)));
        server.on(
                "POST /api/tasks/2/cancel",
                task(TaskJson.detail(2).running(0).with("phase", "stopping")));
        assertThat(stage.run("cancel", "1", "2"))
                .isEqualTo(new Result(0, "1 cancelled\n2 stopping\n", ""));
    }

    @Test
    void cancelWaitsIfAsked() {
        server.on(
                "POST /api/tasks/2/cancel",
                task(TaskJson.detail(2).running(0).with("phase", "stopping")));
        server.on(
                await(2),
                task(TaskJson.detail(2).running(0)),
                task(TaskJson.detail(2).ended("cancelled", null)));
        assertThat(stage.run("cancel", "2", "--wait"))
                .isEqualTo(new Result(0, "2 cancelled\n", ""));
    }

    @Test
    void aFinishedTaskCannotBeCancelled() {
        server.on(
                "POST /api/tasks/1/cancel",
                server.json(409, "{\"detail\":\"Task 1 is already completed.\",\"code\":\"x\"}"));
        server.on("POST /api/tasks/2/cancel", task(TaskJson.detail(2).ended("cancelled", null)));
        assertThat(stage.run("cancel", "1", "2"))
                .isEqualTo(new Result(1, "2 cancelled\n", "berth: Task 1 is already completed.\n"));
    }

    @Test
    void aCancelWhoseAnswerIsLostIsNotRepeated() {
        server.on("POST /api/tasks/1/cancel", server.hangUp());
        Result result = stage.run("cancel", "1");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("berth: task 1: no answer from the server at " + stage.home())
                .endsWith("whether it did what was asked is not known: look with `berth ls`\n");
        assertThat(server.seen()).hasSize(1);
    }

    @Test
    void clonePrintsTheNewIds() {
        server.on("POST /api/tasks/1/clone", server.json(201, TaskJson.detail(11).toString()));
        server.on("POST /api/tasks/2/clone", server.json(201, TaskJson.detail(12).toString()));
        assertThat(stage.run("clone", "1", "2")).isEqualTo(new Result(0, "11\n12\n", ""));
        assertThat(server.seen())
                .extracting(seen -> seen.headers().get("idempotency-key"))
                .doesNotContainNull()
                .doesNotHaveDuplicates();
        assertThat(stage.run("clone", "1", "--json").out()).startsWith("{\"id\":11,");
    }

    @Test
    void aCloneWhoseAnswerIsLostIsRepeatedWithTheSameKey() {
        server.on(
                "POST /api/tasks/1/clone",
                server.hangUp(),
                server.json(200, TaskJson.detail(11).toString()));
        assertThat(stage.run("clone", "1")).isEqualTo(new Result(0, "11\n", ""));
        assertThat(server.seen())
                .hasSize(2)
                .extracting(seen -> seen.headers().get("idempotency-key"))
                .containsOnly(server.seen().getFirst().headers().get("idempotency-key"));
    }

    @Test
    void waitEndsAsTheTaskDid() {
        ends(TaskJson.detail(1).ended("completed", 0));
        ends(TaskJson.detail(2).failed(3));
        ends(TaskJson.detail(3).ended("cancelled", 143));
        ends(TaskJson.detail(4).ended("failed", null).with("error", "machine restarted"));
        ends(TaskJson.detail(5).ended("failed", 0));
        ends(TaskJson.detail(6).ended("failed", 300));
        assertThat(stage.run("wait", "1")).isEqualTo(new Result(0, "1 completed\n", ""));
        assertThat(stage.run("wait", "2")).isEqualTo(new Result(3, "2 failed: exit code 3\n", ""));
        assertThat(stage.run("wait", "3")).isEqualTo(new Result(130, "3 cancelled\n", ""));
        assertThat(stage.run("wait", "4"))
                .isEqualTo(new Result(1, "4 failed: machine restarted\n", ""));
        assertThat(stage.run("wait", "5").status()).isEqualTo(1);
        assertThat(stage.run("wait", "6").status()).isEqualTo(1);
    }

    @Test
    void waitForSeveralEndsWithTheFirstThatWentWrong() {
        ends(TaskJson.detail(1).ended("completed", 0));
        ends(TaskJson.detail(2).failed(3));
        ends(TaskJson.detail(3).ended("cancelled", null));
        Result result = stage.run("wait", "1", "2", "3");
        assertThat(result.status()).isEqualTo(3);
        assertThat(result.out()).isEqualTo("1 completed\n2 failed: exit code 3\n3 cancelled\n");
        assertThat(stage.run("wait", "9", "2").status()).as("9 is unknown").isEqualTo(1);
    }

    @Test
    void waitAsksAgainUntilTheTaskHasEnded() {
        Answer running = task(TaskJson.detail(1).running(0));
        server.on(await(1), running, running, task(TaskJson.detail(1).ended("completed", 0)));
        assertThat(stage.run("wait", "1", "--json").out()).startsWith("{\"id\":1,");
        assertThat(server.seen()).hasSize(3);
        assertThat(stage.time().paused().toMillis())
                .as("a server that does not hold the question is not flooded")
                .isEqualTo(400);
    }

    @Test
    void waitOutlastsARestartOfTheServer() {
        server.on(
                await(1),
                server.after(() -> server.close(), server.hangUp()),
                task(TaskJson.detail(1).failed(5)));
        stage.time()
                .onPause(
                        () -> {
                            if (stage.time().paused().toSeconds() == 30) {
                                stage.time().onPause(() -> {});
                                server.start();
                            }
                        });
        Result result = stage.run("wait", "1");
        assertThat(result.status()).isEqualTo(5);
        assertThat(result.err())
                .isEqualTo("berth: lost the server at " + stage.home() + "; trying again\n");
    }

    @Test
    void aHostileErrorIsPrintedHarmlessly() {
        ends(TaskJson.detail(1).ended("failed", 1).with("error", "\u001b[2J\n"));
        assertThat(stage.run("wait", "1").out()).isEqualTo("1 failed: \\e[2J\\n\n");
    }

    @Test
    void healthSaysWhatIsWrong() {
        server.on(
                "GET /api/health",
                server.json(200, "{\"status\":\"ok\"}"),
                server.json(
                        503,
                        "{\"status\":\"failing\",\"problems\":[\"disk full\",\"x\\u001b[2J\"]}"));
        assertThat(stage.run("health")).isEqualTo(new Result(0, "ok\n", ""));
        assertThat(stage.run("health"))
                .isEqualTo(new Result(1, "failing\n  disk full\n  x\\e[2J\n", ""));
        assertThat(stage.run("health", "--json"))
                .isEqualTo(
                        new Result(
                                1,
                                "{\"status\":\"failing\",\"problems\":[\"disk"
                                        + " full\",\"x\\u001b[2J\"]}\n",
                                ""));
        assertThat(stage.run("health", "x").status()).isEqualTo(2);
    }
}
