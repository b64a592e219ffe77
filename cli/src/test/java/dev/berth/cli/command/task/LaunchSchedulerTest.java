package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class LaunchSchedulerTest {

    private static final String START = "POST /experiments/7/start/";
    private static final String RUNNING =
            "{\"success\":true,\"message\":\"实验已启动\","
                    + "\"experiment\":{\"id\":7,\"status\":\"running\"}}";

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

    @Test
    void aDraftIsStartedNow() {
        server.on(START, RUNNING);
        assertThat(fixture.run("launch", "7")).isEqualTo(new Result(0, "7 running\n", ""));
        assertThat(server.received().getLast().body()).isEqualTo("{}");
        assertThat(fixture.run("launch", "7", "--json").out()).isEqualTo(RUNNING + "\n");
    }

    @Test
    void forceIsPassedOn() {
        server.on(START, RUNNING);
        assertThat(fixture.run("launch", "--force", "7").status()).isZero();
        assertThat(server.received().getLast().body()).isEqualTo("{\"force_start\":true}");
    }

    @Test
    void whereTheGpusAreBusyEachShowsWhyAndTheQueueIsPointedTo() {
        server.on(
                START,
                server.json(
                        409,
                        """
                        {"success":false,"message":"2 GPUs wanted, 0 would do now.",
                        "detail":"2 GPUs wanted, 0 would do now.","code":"start.busy","field":null,
                        "params":{},"reasons":[{"detail":"2 GPUs wanted, 0 would do now.",
                        "code":"cards.short","params":{},"parts":[
                        {"detail":"GPU 0 is held by task 3.","code":"card.held","parts":[]},
                        {"detail":"GPU 1 is in use\\u001b[2J.","code":"card.in_use","parts":[]}]}]}
                        """));
        assertThat(fixture.run("launch", "7"))
                .isEqualTo(
                        new Result(
                                1,
                                "",
                                """
                                berth: task 7: 2 GPUs wanted, 0 would do now.
                                  GPU 0 is held by task 3.
                                  GPU 1 is in use\\e[2J.
                                  to wait for its turn: berth queue 7
                                """));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "409 | {\"detail\":\"Task 7 is running, not"
                        + " pending.\",\"code\":\"task.not_pending\"} | Task 7 is running, not"
                        + " pending.",
                "404 | {\"detail\":\"No such task.\",\"code\":\"task.unknown\"}"
                        + " | task 7: No such task.",
                "502 | <html> | task 7: the server answered 502 and gave no reason",
            })
    void anythingElseIsSaidWithoutThatHint(int status, String body, String said) {
        server.on(START, server.json(status, body));
        assertThat(fixture.run("launch", "7"))
                .isEqualTo(new Result(1, "", "berth: " + said + "\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"launch", "launch x", "launch 0", "launch 7 --force=yes"})
    void aLaunchThatCannotBeReadIsNotUnderstood(String words) {
        assertThat(fixture.run(words.split(" ")).status()).isEqualTo(2);
        assertThat(server.received()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "start | {\"running\":true,\"changed\":true} | started",
                "start | {\"running\":true,\"changed\":false} | already running",
                "stop | {\"running\":false,\"changed\":true} |"
                        + " stopped: nothing new starts, running tasks continue",
                "stop | {\"running\":false,\"changed\":false} | already stopped",
            })
    void theSchedulerSaysWhatItDid(String verb, String body, String said) {
        server.on("POST /api/scheduler/" + verb, body);
        assertThat(fixture.run("scheduler", verb)).isEqualTo(new Result(0, said + "\n", ""));
        assertThat(fixture.run("scheduler", verb, "--json").out()).isEqualTo(body + "\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"running\":true,\"since\":null,\"by\":null} | running",
                "{\"running\":true,\"since\":\"2025-11-15T05:50:00Z\",\"by\":\"ada\"} |"
                        + " running, started 10m ago by ada",
                "{\"running\":false,\"since\":\"2025-11-15T05:50:00Z\",\"by\":\"\\u001b[2J\"} |"
                        + " stopped 10m ago by \\e[2J",
                "{\"running\":false,\"since\":\"2025-11-15T05:50:00Z\",\"by\":null} |"
                        + " stopped 10m ago",
            })
    void theSchedulerSaysHowItStands(String body, String said) {
        server.on("GET /api/scheduler", body);
        assertThat(fixture.run("scheduler", "status")).isEqualTo(new Result(0, said + "\n", ""));
    }

    @Test
    void aMissingPermissionIsReported() {
        server.on(
                "POST /api/scheduler/stop",
                server.json(403, "{\"detail\":\"Only an administrator may do that.\"}"));
        assertThat(fixture.run("scheduler", "stop"))
                .isEqualTo(new Result(1, "", "berth: Only an administrator may do that.\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"scheduler", "scheduler restart", "scheduler start stop"})
    void anotherWordForTheSchedulerIsNotUnderstood(String words) {
        Result result = fixture.run(words.split(" "));
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .contains("start, stop or status\nUsage: berth scheduler [OPTIONS] start | stop");
        assertThat(server.received()).isEmpty();
    }
}
