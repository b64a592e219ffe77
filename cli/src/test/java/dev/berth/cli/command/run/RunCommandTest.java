package dev.berth.cli.command.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleRunJson;
import dev.berth.cli.fixture.StubServer;
import dev.berth.jsontext.JsonParser;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

class RunCommandTest {

    private static final String START = "POST /api/scheduler/single/start";
    private static final String STATE = "GET /api/scheduler/run/3";
    private static final String TEXT = "20\npython a.py\n";

    @TempDir private Path root;
    private CliFixture fixture;
    private StubServer server;
    private StubServerControl hosting;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        server = fixture.server();
        hosting = new StubServerControl(fixture);
        fixture.file("command.txt", TEXT);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Result run(String... words) {
        return fixture.run(List.of(new RunCommand(hosting)), words);
    }

    private static SampleRunJson waiting() {
        return SampleRunJson.run(3)
                .with("command_file", "/data/command.txt")
                .lane(
                        "1",
                        "idle",
                        SampleRunJson.task(16, "pending"),
                        SampleRunJson.task(17, "pending"));
    }

    private static SampleRunJson atWork() {
        return SampleRunJson.run(3)
                .lane(
                        "1",
                        "busy",
                        SampleRunJson.with(SampleRunJson.task(16, "running"), "gpus", List.of(0)),
                        SampleRunJson.task(17, "pending"));
    }

    private static SampleRunJson ended(String status, String first, String second) {
        return SampleRunJson.run(3)
                .lane("1", "done", SampleRunJson.task(16, first), SampleRunJson.task(17, second))
                .ended(status);
    }

    private void states(SampleRunJson... inTurn) {
        for (SampleRunJson run : inTurn) {
            server.on(STATE, run.toString());
        }
    }

    @Test
    void aFileIsSentAsItIsAndFollowedToItsEnd() throws Exception {
        server.on(START, waiting().toString());
        states(waiting(), atWork(), ended("finished", "completed", "completed"));
        assertThat(run("run", "command.txt"))
                .isEqualTo(
                        new Result(
                                0,
                                """
                                run 3 started: /data/command.txt, 2 tasks in 1 lane
                                06:00:00 lane 1: task 16 runs on 0
                                06:00:00 lane 1: task 16 completed
                                06:00:00 lane 1: task 17 completed
                                run 3 finished after 50s: 2 of 2 completed
                                """,
                                ""));
        Map<?, ?> body = (Map<?, ?>) JsonParser.parse(server.received().getFirst().body());
        assertThat(body)
                .isEqualTo(
                        Map.of(
                                "content",
                                TEXT,
                                "command_file",
                                fixture.cwd().resolve("command.txt").toString(),
                                "work_dir",
                                fixture.cwd().toString()));
        assertThat(hosting.calls()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "command.txt, '', single/start",
        "command_gpus.txt, '', multi/start",
        "command_gpus_2.txt, '', multi/start",
        "command_gpu_2.txt, '', single/start",
        "command.txt, --mode=multi, multi/start",
        "command_gpus.txt, --mode=single, single/start",
        "command.txt, -phigh, single/start?priority=HIGH",
        "'', '', single/start?config_index=0&origin=terminal",
        "'', --mode=multi, multi/start?config_index=0&origin=terminal",
        "'', --priority=low, single/start?config_index=0&origin=terminal&priority=LOW",
    })
    void theModeIsSaidOrFollowsFromTheName(String file, String option, String target) {
        if (!file.isEmpty()) {
            fixture.file(file, TEXT);
        }
        String[] words =
                List.of("run", option, file).stream()
                        .filter(word -> !word.isEmpty())
                        .toArray(String[]::new);
        assertThat(run(words).status()).isEqualTo(1);
        assertThat(server.requestLines()).containsExactly("POST /api/scheduler/" + target);
        assertThat(server.received().getFirst().body().isEmpty()).isEqualTo(file.isEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "finished, completed, failed",
        "finished, cancelled, completed",
        "stopped, completed, cancelled",
        "stopped, completed, completed",
    })
    void whateverIsNotDoneMakesItFail(String status, String first, String second) {
        server.on(START, waiting().toString());
        states(ended(status, first, second));
        assertThat(run("run", "command.txt").status()).isEqualTo(1);
    }

    @Test
    void aFailureARetryAndABackoffAreReported() {
        server.on(START, waiting().toString());
        Map<String, Object> resting = SampleRunJson.task(16, "pending");
        resting.put("retry_count", 3);
        resting.put("backoff_until", "2025-11-15T06:10:00Z");
        resting.put("error", "exit code 1\u0007");
        Map<String, Object> failed = SampleRunJson.task(16, "failed");
        failed.put("retry_count", 3);
        failed.put("error", "exit code 1");
        states(
                SampleRunJson.run(3)
                        .lane("1", "backoff", resting)
                        .with("reason", "no card is big enough"),
                SampleRunJson.run(3).lane("1", "busy", resting).with("status", "stopping"),
                SampleRunJson.run(3).lane("1", "done", failed).ended("stopped"));
        assertThat(run("run", "command.txt").out())
                .endsWith(
                        """
                        06:00:00 lane 1: task 16 failed: exit code 1\\u0007; retry 3
                        06:00:00 lane 1: task 16 waits for its retry at 06:10:00
                        06:00:00 no task of it can start: no card is big enough
                        06:00:00 stopping
                        06:00:00 lane 1: task 16 failed: exit code 1
                        lane 1: task 16 failed: exit code 1 (berth logs 16)
                        run 3 stopped after 50s: 0 of 1 completed, 1 failed
                        """);
    }

    @Test
    void blocksThatWereLeftOutAreReportedByTheirLines() {
        server.on(
                START,
                waiting()
                        .with(
                                "problems",
                                List.of(
                                        Map.of(
                                                "line",
                                                7,
                                                "code",
                                                "command.no_memory",
                                                "detail",
                                                "this block says no memory\u001b[2J")))
                        .toString());
        states(ended("finished", "completed", "completed"));
        Result result = run("run", "command.txt");
        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err())
                .isEqualTo(
                        "command.txt:7: this block says no memory\\e[2J\n"
                            + "berth: not everything was run: 1 block was left out, see above\n");
    }

    @Test
    void aFileWithNothingInItToRunIsRefusedWithItsLines() {
        server.on(
                START,
                server.json(
                        400,
                        "{\"detail\":\"Nothing in it can be run.\",\"code\":\"command.nothing\","
                                + "\"problems\":[{\"line\":1,\"code\":\"x\",\"detail\":\"no"
                                + " memory\"}]}"));
        assertThat(run("run", "./command.txt"))
                .isEqualTo(
                        new Result(
                                1,
                                "",
                                "./command.txt:1: no memory\nberth: Nothing in it can be run.\n"));
    }

    @Test
    void aFileThatRunsAlreadyIsRefused() {
        server.on(START, server.json(409, "{\"detail\":\"It runs already, as run 2.\"}"));
        assertThat(run("run", "command.txt"))
                .isEqualTo(new Result(1, "", "berth: It runs already, as run 2.\n"));
        server.close();
        server = new CliFixture(root).server();
        server.on(START, server.json(502, "<html>"));
        assertThat(run("run", "command.txt").err())
                .isEqualTo("berth: the server answered 502 and gave no reason\n");
        server.close();
    }

    @Test
    void aFileThatIsNoneIsRefusedBeforeAnythingIsAskedOrStarted() throws IOException {
        Files.createDirectory(fixture.cwd().resolve("folder"));
        fixture.file("empty.txt", " \n\n");
        fixture.file("mark.txt", "\ufeff");
        Files.write(fixture.cwd().resolve("binary"), new byte[] {'a', (byte) 0xff, 'b'});
        Files.write(fixture.cwd().resolve("large"), new byte[10 * 1024 * 1024 + 1]);
        for (String[] each :
                new String[][] {
                    {"no\u0007ne", "there is no file no\\u0007ne"},
                    {"folder", "folder is a directory, not a command file"},
                    {"empty.txt", "empty.txt is empty"},
                    {"mark.txt", "mark.txt is empty"},
                    {"binary", "binary is not UTF-8 text"},
                    {"large", "large is larger than 10 MB"},
                    {"/dev/null", "/dev/null is not a file"},
                }) {
            assertThat(run("run", each[0]))
                    .isEqualTo(new Result(1, "", "berth: " + each[1] + "\n"));
            assertThat(run("run", "--detach", each[0]).status()).isEqualTo(1);
        }
        assertThat(server.received()).isEmpty();
        assertThat(hosting.calls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "--mode=both command.txt", "--mode= command.txt", "--frob"})
    void whatMakesNoSenseIsNotUnderstood(String words) {
        Result result = run(("run " + words).split(" "));
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("\nUsage: berth run [OPTIONS] [FILE]\n");
        assertThat(server.received()).isEmpty();
    }

    @Test
    void aStateThatTakesLongIsAskedForLessOften() {
        server.on(START, waiting().toString());
        for (int asked = 0; asked < 3; asked++) {
            server.on(
                    STATE,
                    server.after(
                            () -> fixture.clock().advance(Duration.ofMillis(100)),
                            server.json(200, atWork().toString())));
        }
        states(ended("finished", "completed", "completed"));
        assertThat(run("run", "command.txt").status()).isZero();
        assertThat(fixture.clock().sleptTotal())
                .as("nine times as long, doubled while nothing changes, and two seconds at most")
                .isEqualTo(Duration.ofMillis(900 + 1800 + 2000));
    }

    @Test
    void aServerThatIsStartedAgainMeanwhileIsWaitedFor() {
        server.on(START, waiting().toString());
        server.on(STATE, server.after(server::restart, server.closeWithoutReply()));
        states(ended("finished", "completed", "completed"));
        assertThat(run("run", "command.txt").status()).isZero();
    }

    @Test
    void aServerThatStaysAwayIsGivenUpAfterAMinute() {
        server.on(START, waiting().toString());
        server.on(STATE, server.after(server::stop, server.closeWithoutReply()));
        Result result = run("run", "command.txt");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("lost the server at", "No Berth server at");
        assertThat(fixture.clock().sleptTotal().toSeconds()).isBetween(60L, 61L);
    }

    @Test
    void onlyTheRunItselfIsAskedForWhileItIsFollowed() {
        server.on(START, waiting().toString());
        states(waiting(), atWork(), ended("finished", "completed", "completed"));
        assertThat(run("run", "command.txt").status()).isZero();
        assertThat(server.requestLines()).containsExactly(START, STATE, STATE, STATE);
    }

    @Test
    void aRunWhoseServerEndedAfterItIsReadFromItsFile() throws IOException {
        server.on(START, waiting().toString());
        server.on(STATE, server.after(server::stop, server.closeWithoutReply()));
        Path written = Files.createDirectories(fixture.home().resolve("logs/state"));
        Files.writeString(
                written.resolve("3.json"), ended("finished", "completed", "completed").toString());
        Result result = run("run", "command.txt");
        assertThat(result.status()).isZero();
        assertThat(result.out()).endsWith("run 3 finished after 50s: 2 of 2 completed\n");
    }

    @Test
    void aStateFileOfARunningRunIsNotTakenAsItsEnd() throws IOException {
        server.on(START, waiting().toString());
        server.on(STATE, server.after(server::stop, server.closeWithoutReply()));
        Path written = Files.createDirectories(fixture.home().resolve("logs/state"));
        for (String text : List.of(atWork().toString(), "{", "null")) {
            Files.writeString(written.resolve("3.json"), text);
            assertThat(run("run", "command.txt").err()).contains("No Berth server at");
            server.restart();
        }
    }

    @Test
    void aRunThatTheServerDoesNotKnowIsNotFollowed() {
        server.on(START, waiting().toString());
        server.on(STATE, server.json(404, "{\"detail\":\"There is no run 3.\"}"));
        assertThat(run("run", "command.txt").err()).isEqualTo("berth: There is no run 3.\n");
    }

    @Test
    void anAnswerOfAnotherRunIsNotTakenForIt() {
        server.on(START, waiting().toString());
        server.on(STATE, SampleRunJson.run(4).toString());
        assertThat(run("run", "command.txt").err())
                .isEqualTo("berth: the server did not send run 3\n");
    }

    @Test
    void onATerminalAFewLinesAreDrawnAgain() {
        fixture.setTerminal(true);
        fixture.env().put("NO_COLOR", "1");
        server.on(START, waiting().toString());
        states(atWork(), ended("finished", "completed", "completed"));
        assertThat(run("run", "command.txt").out())
                .isEqualTo(
                        """
                        Run 3  running for 1m  0 of 2 completed, 1 running, 1 pending  single  command…
                          lane 1  busy  0/2  task 16 on 0
                        \u001b[2A\r\u001b[JRun 3  finished 10s ago  2 of 2 completed  single  command/command_gpu.txt
                          lane 1  done  2/2
                        run 3 finished after 50s: 2 of 2 completed
                        """);
    }

    @Test
    void ofManyLanesThoseAreDrawnThatDoSomething() {
        fixture.setTerminal(true);
        fixture.env().put("NO_COLOR", "1");
        SampleRunJson many = SampleRunJson.run(3);
        for (int lane = 1; lane <= 12; lane++) {
            many.lane("" + lane, lane > 10 ? "busy" : "idle", SampleRunJson.task(lane, "pending"));
        }
        server.on(START, waiting().toString());
        states(many.ended("stopped"));
        assertThat(run("run", "command.txt").out().lines().skip(1).map(String::strip))
                .startsWith("lane 11  busy  0/1", "lane 12  busy  0/1")
                .contains("… and 2 more lanes")
                .hasSize(12);
    }

    @Test
    void aTerminalThatCannotDrawGetsLines() {
        fixture.setTerminal(true);
        fixture.env().put("TERM", "dumb");
        server.on(START, waiting().toString());
        states(ended("finished", "completed", "completed"));
        assertThat(run("run", "command.txt").out()).startsWith("run 3 started: ");
    }

    @Test
    void aProgramGetsTheRunAsItEnded() {
        server.on(START, waiting().toString());
        states(atWork(), ended("finished", "completed", "failed"));
        assertThat(run("run", "command.txt", "--json"))
                .isEqualTo(new Result(1, ended("finished", "completed", "failed") + "\n", ""));
    }
}
