package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.call.Options;
import dev.berth.cli.link.Json;
import dev.berth.cli.link.RunReader;
import dev.berth.cli.stage.RunJson;
import dev.berth.cli.stage.Stage;
import dev.berth.cli.stage.Stage.Result;
import dev.berth.cli.stage.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** {@code berth run} where no server is up, and in the background. */
class RunHostedTest {

    private static final String START = "POST /api/scheduler/single/start";
    private static final String STATE = "GET /api/scheduler/run/3";
    private static final String QUEUE = "GET /api/queue?limit=1";

    @TempDir private Path root;
    private Stage stage;
    private StubServer server;
    private StubHosting hosting;

    @BeforeEach
    void open() {
        stage = new Stage(root);
        server = stage.server();
        hosting = new StubHosting(stage);
        stage.file("command.txt", "20\npython a.py\n");
        server.on(START, done().with("status", "running").toString());
        server.on(STATE, done().toString());
        server.close();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private static RunJson done() {
        return RunJson.run(3).lane("1", "done", RunJson.task(16, "completed")).ended("finished");
    }

    private Result run(String... words) {
        return stage.run(List.of(new Run(hosting)), words);
    }

    @Test
    void aServerIsStartedForItAndEndedAfterIt() {
        server.on(QUEUE, "{\"queued\":0,\"running\":0}");
        assertThat(run("run", "command.txt").status()).isZero();
        assertThat(hosting.did()).containsExactly("start", "stop");
    }

    @Test
    void theServerIsKeptWhereThatIsAskedFor() {
        assertThat(run("run", "command.txt", "--keep-server").status()).isZero();
        assertThat(hosting.did()).containsExactly("start");
    }

    @Test
    void theServerStaysWhereOthersHaveWorkInItByNow() {
        server.on(QUEUE, "{\"queued\":2,\"running\":1}");
        Result result = run("run", "command.txt");
        assertThat(result.status()).isZero();
        assertThat(result.err())
                .isEqualTo(
                        "berth: the server stays up, for others have work in it (2 queued, 1"
                                + " running); `berth stop` ends it\n");
        assertThat(hosting.did()).containsExactly("start");
    }

    @Test
    void theServerDoesNotStayWhereNothingCouldBeStarted() {
        server.on(QUEUE, "{}");
        assertThat(run("run", "command.txt", "--mode", "multi").status()).isEqualTo(1);
        assertThat(hosting.did()).containsExactly("start", "stop");
    }

    @Test
    void theServerDoesNotStayWhereItSendsWhatNobodyCanRead() {
        server.on(QUEUE, "{\"queued\":0,\"running\":0}");
        server.forget(STATE);
        server.on(STATE, "<html>");
        Result result = run("run", "command.txt");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .startsWith(
                        "berth: the server that was started for run 3 was ended; what is left of"
                                + " the run goes on when a server is started\n")
                .contains("sent no JSON");
        assertThat(hosting.did()).containsExactly("start", "stop");
    }

    @Test
    void theTasksOfTheRunItselfDoNotKeepTheServerWhereFollowingFailed() {
        server.on(QUEUE, "{\"queued\":1,\"running\":0}");
        server.forget(STATE);
        server.on(STATE, server.json(200, "<html>"), server.json(200, waiting()));
        assertThat(run("run", "command.txt").status()).isEqualTo(1);
        assertThat(hosting.did()).containsExactly("start", "stop");
    }

    @Test
    void theWorkOfOthersKeepsTheServerAlsoWhereFollowingFailed() {
        server.on(QUEUE, "{\"queued\":2,\"running\":0}");
        server.forget(STATE);
        server.on(STATE, server.json(200, "<html>"), server.json(200, waiting()));
        assertThat(run("run", "command.txt").err()).contains("the server stays up, for others");
        assertThat(hosting.did()).containsExactly("start");
    }

    private static String waiting() {
        return RunJson.run(3).lane("1", "idle", RunJson.task(16, "pending")).toString();
    }

    @Test
    void whoeverInterruptsItLeavesTheRunAndItsServer() {
        server.forget(STATE);
        server.on(STATE, waiting());
        stage.time().onPause(() -> Thread.currentThread().interrupt());
        Result result = run("run", "command.txt");
        assertThat(result.status()).isEqualTo(130);
        assertThat(result.err())
                .isEqualTo(
                        "berth: run 3 goes on in its server, which stays up; `berth runs` shows"
                                + " it, `berth runs stop 3` ends it, `berth stop` the server\n");
        assertThat(hosting.did()).containsExactly("start");
    }

    @Test
    void aSocketThatIsNamedIsNoHomeToStartAServerFor() {
        stage.env().put("BERTH_SOCKET", root.resolve("x.sock").toString());
        Result result = run("run", "command.txt");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).startsWith("berth: No Berth server at " + root.resolve("x.sock"));
        assertThat(hosting.did()).isEmpty();
    }

    @Test
    void inTheBackgroundItIsTheSameCommandAgain() {
        hosting.says("berth: building\nrun 12 started: x, 1 task in 1 lane\n", 5);
        Path file = stage.cwd().resolve("command.txt");
        Path output = stage.home().resolve("run-20251115-060000.log");
        assertThat(run("run", "--detach", "-p", "high", "--mode=single", "command.txt"))
                .isEqualTo(
                        new Result(
                                0,
                                "run 12 started in the background\n  to follow it: tail -f "
                                        + output
                                        + "\n  to stop it:   berth runs stop 12\n",
                                ""));
        assertThat(run("run", "--detach", "--keep-server", "--home", "h", "--json").out())
                .isEqualTo("{\"pid\":12,\"output\":\"" + output + "\"}\n");
        assertThat(hosting.did())
                .containsExactly(
                        "run --mode single --priority high -- " + file,
                        "run --home " + stage.cwd().resolve("h") + " --keep-server");
    }

    @Test
    void whatDoesNotStartInTheBackgroundIsTold() {
        hosting.says("command.txt:1: no memory\nberth: Nothing in it\u0007\n", 1);
        assertThat(run("run", "--detach", "command.txt"))
                .isEqualTo(
                        new Result(
                                1,
                                "",
                                "berth: it did not start; it said:\ncommand.txt:1: no memory\n"
                                        + "berth: Nothing in it\\u0007\n"));
    }

    @Test
    void whatTakesTooLongToStartIsGivenUp() {
        hosting.says("", Integer.MAX_VALUE);
        Result result = run("run", "--detach", "command.txt");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).startsWith("berth: it has not started after 120 s; see ");
    }

    @Test
    void whoeverEndsItEarlyIsToldThatTheRunGoesOn() {
        assertThat(farewell())
                .isEqualTo(
                        "berth: run 3 goes on in its server; `berth runs` shows it, `berth runs"
                                + " stop 3` ends it\n");
        assertThat(farewell("--home", "my lab"))
                .isEqualTo(
                        "berth: run 3 goes on in its server; `berth runs --home 'my lab'` shows"
                                + " it, `berth runs stop 3 --home 'my lab'` ends it\n");
    }

    private String farewell(String... words) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(err, false, StandardCharsets.UTF_8);
        Farewell.say(
                RunReader.run(Map.of("pid", new Json.Numeral("3"))),
                Options.parse(new Run(hosting).syntax(), List.of(words)),
                stage.around(stream, stream),
                false);
        return err.toString(StandardCharsets.UTF_8);
    }
}
