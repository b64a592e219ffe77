package dev.berth.cli.command.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleRunJson;
import dev.berth.cli.fixture.StubServer;
import dev.berth.cli.json.WireReader;
import dev.berth.jsontext.JsonParser;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** {@code berth run} without a running server, and in the background. */
class RunWithOwnServerTest {

    private static final String START = "POST /api/scheduler/single/start";
    private static final String STATE = "GET /api/scheduler/run/3";
    private static final String QUEUE = "GET /api/queue?limit=1";

    @TempDir private Path root;
    private CliFixture fixture;
    private StubServer server;
    private StubServerControl hosting;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        server = fixture.server();
        hosting = new StubServerControl(fixture);
        fixture.file("command.txt", "20\npython a.py\n");
        server.on(START, done().with("status", "running").toString());
        server.on(STATE, done().toString());
        server.close();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static SampleRunJson done() {
        return SampleRunJson.run(3)
                .lane("1", "done", SampleRunJson.task(16, "completed"))
                .ended("finished");
    }

    private Result run(String... words) {
        return fixture.run(List.of(new RunCommand(hosting)), words);
    }

    @Test
    void aServerIsStartedForItAndEndedAfterIt() {
        server.on(QUEUE, "{\"queued\":0,\"running\":0}");
        assertThat(run("run", "command.txt").status()).isZero();
        assertThat(hosting.calls()).containsExactly("start", "stop");
    }

    @Test
    void theServerIsKeptWhereThatIsAskedFor() {
        assertThat(run("run", "command.txt", "--keep-server").status()).isZero();
        assertThat(hosting.calls()).containsExactly("start");
    }

    @Test
    void theServerStaysWhereOthersHaveWorkInItByNow() {
        server.on(QUEUE, "{\"queued\":2,\"running\":1}");
        Result result = run("run", "command.txt");
        assertThat(result.status()).isZero();
        assertThat(result.err())
                .isEqualTo(
                        "berth: the server keeps running, because it has other tasks (2 queued, 1"
                                + " running); `berth stop` ends it\n");
        assertThat(hosting.calls()).containsExactly("start");
    }

    @Test
    void theServerDoesNotStayWhereNothingCouldBeStarted() {
        server.on(QUEUE, "{}");
        assertThat(run("run", "command.txt", "--mode", "multi").status()).isEqualTo(1);
        assertThat(hosting.calls()).containsExactly("start", "stop");
    }

    @Test
    void theServerDoesNotStayWhereItSendsAnUnreadableReply() {
        server.on(QUEUE, "{\"queued\":0,\"running\":0}");
        server.reset(STATE);
        server.on(STATE, "<html>");
        Result result = run("run", "command.txt");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .startsWith(
                        "berth: the server that was started for run 3 was stopped; the run"
                                + " continues when a server is started\n")
                .contains("sent no JSON");
        assertThat(hosting.calls()).containsExactly("start", "stop");
    }

    @Test
    void theTasksOfTheRunItselfDoNotKeepTheServerWhereFollowingFailed() {
        server.on(QUEUE, "{\"queued\":1,\"running\":0}");
        server.reset(STATE);
        server.on(STATE, server.json(200, "<html>"), server.json(200, waiting()));
        assertThat(run("run", "command.txt").status()).isEqualTo(1);
        assertThat(hosting.calls()).containsExactly("start", "stop");
    }

    @Test
    void theWorkOfOthersKeepsTheServerAlsoWhereFollowingFailed() {
        server.on(QUEUE, "{\"queued\":2,\"running\":0}");
        server.reset(STATE);
        server.on(STATE, server.json(200, "<html>"), server.json(200, waiting()));
        assertThat(run("run", "command.txt").err()).contains("the server keeps running, because");
        assertThat(hosting.calls()).containsExactly("start");
    }

    private static String waiting() {
        return SampleRunJson.run(3).lane("1", "idle", SampleRunJson.task(16, "pending")).toString();
    }

    @Test
    void anInterruptLeavesTheRunAndItsServer() {
        server.reset(STATE);
        server.on(STATE, waiting());
        fixture.clock().onSleep(() -> Thread.currentThread().interrupt());
        Result result = run("run", "command.txt");
        assertThat(result.status()).isEqualTo(130);
        assertThat(result.err())
                .isEqualTo(
                        "berth: run 3 continues in its server, which keeps running; `berth runs`"
                            + " shows it, `berth runs stop 3` ends it, `berth stop` the server\n");
        assertThat(hosting.calls()).containsExactly("start");
    }

    @Test
    void aSocketThatIsNamedIsNoHomeToStartAServerFor() {
        fixture.env().put("BERTH_SOCKET", root.resolve("x.sock").toString());
        Result result = run("run", "command.txt");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).startsWith("berth: No Berth server at " + root.resolve("x.sock"));
        assertThat(hosting.calls()).isEmpty();
    }

    @Test
    void inTheBackgroundItIsTheSameCommandAgain() {
        hosting.prints("berth: building\nrun 12 started: x, 1 task in 1 lane\n", 5);
        Path file = fixture.cwd().resolve("command.txt");
        Path output = fixture.home().resolve("run-20251115-060000.log");
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
        assertThat(hosting.calls())
                .containsExactly(
                        "run --mode single --priority high -- " + file,
                        "run --home " + fixture.cwd().resolve("h") + " --keep-server");
    }

    @Test
    void whatDoesNotStartInTheBackgroundIsReported() {
        hosting.prints("command.txt:1: no memory\nberth: Nothing in it\u0007\n", 1);
        assertThat(run("run", "--detach", "command.txt"))
                .isEqualTo(
                        new Result(
                                1,
                                "",
                                "berth: it did not start; its output:\ncommand.txt:1: no memory\n"
                                        + "berth: Nothing in it\\u0007\n"));
    }

    @Test
    void whatTakesTooLongToStartIsGivenUp() {
        hosting.prints("", Integer.MAX_VALUE);
        Result result = run("run", "--detach", "command.txt");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).startsWith("berth: it has not started after 120 s; see ");
    }

    @Test
    void aUserWhoEndsItEarlyIsInformedThatTheRunGoesOn() {
        assertThat(lastLines())
                .isEqualTo(
                        "run 3 continues in its server; `berth runs` shows it, `berth runs"
                                + " stop 3` ends it");
        assertThat(lastLines("--home", "my lab"))
                .isEqualTo(
                        "run 3 continues in its server; `berth runs --home 'my lab'` shows"
                                + " it, `berth runs stop 3 --home 'my lab'` ends it");
    }

    private String lastLines(String... words) {
        return InterruptNotice.text(
                WireReader.runState(Map.of("pid", new JsonParser.JsonNumber("3"))),
                ParsedOptions.parse(new RunCommand(hosting).syntax(), List.of(words)),
                false);
    }
}
