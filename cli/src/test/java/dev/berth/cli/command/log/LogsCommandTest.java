package dev.berth.cli.command.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Cli;
import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.SampleTaskJson;
import dev.berth.cli.fixture.StubServer.StubReply;
import dev.berth.jsontext.JsonWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

class LogsCommandTest {

    private static final String TASK = "GET /api/tasks/7";
    private static final String LOGS = "GET /api/tasks/7/logs?";

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

    private static String log(boolean truncated, long next, String... lines) {
        return JsonWriter.write(
                Map.of(
                        "task_id",
                        7,
                        "lines",
                        List.of(lines),
                        "truncated",
                        truncated,
                        "next_offset",
                        next));
    }

    private StubReply answer(long next, String... lines) {
        return fixture.server().json(200, log(false, next, lines));
    }

    private StubReply task(SampleTaskJson task) {
        return fixture.server().json(200, task.toString());
    }

    private StubReply running() {
        return task(SampleTaskJson.detail(7).running(0));
    }

    private StubReply ended() {
        return task(SampleTaskJson.detail(7).failed(1));
    }

    @Test
    void printsTheLastHundredLines() {
        fixture.server().on(LOGS + "tail=100", log(true, 9, "one", "", "two"));
        assertThat(fixture.run("logs", "7")).isEqualTo(new Result(0, "one\n\ntwo\n", ""));
    }

    @Test
    void printsAsManyAsAsked() {
        fixture.server().on(LOGS + "tail=5", log(false, 9, "x"));
        assertThat(fixture.run("logs", "--tail", "5", "7").out()).isEqualTo("x\n");
    }

    @Test
    void aPersonIsInformedThatThereIsMore() {
        fixture.setTerminal(true);
        fixture.server().on(LOGS + "tail=100", log(true, 9, "x"));
        assertThat(fixture.run("logs", "7").err())
                .isEqualTo("berth: earlier lines are not shown: use --tail N\n");
    }

    @Test
    void controlSequencesAreLeftOutUnlessRaw() {
        fixture.server()
                .on(LOGS + "tail=100", log(false, 9, "\u001b[31mred\u001b[0m\u0007", "1%\r99%"));
        assertThat(fixture.run("logs", "7").out()).isEqualTo("red\n99%\n");
        assertThat(fixture.run("logs", "7", "--raw").out())
                .isEqualTo("\u001b[31mred\u001b[0m\u0007\n1%\r99%\n");
    }

    @Test
    void followsUntilTheTaskHasEnded() {
        fixture.server()
                .on(LOGS + "tail=100", log(false, 4, "one"))
                .on(TASK, running(), running(), running(), ended())
                .on(LOGS + "from=4", answer(8, "two"))
                .on(LOGS + "from=8", answer(8), answer(14, "three", "four"))
                .on(LOGS + "from=14", answer(18, "last"))
                .on(LOGS + "from=18", answer(18));
        assertThat(fixture.run("logs", "-f", "7"))
                .isEqualTo(new Result(0, "one\ntwo\nthree\nfour\nlast\n", ""));
        assertThat(fixture.server().requestLines())
                .as("the state is asked before the log, so that nothing is missed at the end")
                .endsWith(TASK, LOGS + "from=14", TASK, LOGS + "from=18");
    }

    @Test
    void asksLessOftenWhileNothingIsWritten() {
        StubReply[] states = new StubReply[21];
        java.util.Arrays.fill(states, running());
        states[20] = ended();
        fixture.server()
                .on(LOGS + "tail=100", log(false, 0))
                .on(TASK, states)
                .on(LOGS + "from=0", answer(0));
        assertThat(fixture.run("logs", "--follow", "7").status()).isZero();
        assertThat(fixture.clock().sleptTotal())
                .isBetween(Duration.ofSeconds(15), Duration.ofSeconds(20));
    }

    @Test
    void followsThroughARestartOfTheServer() {
        fixture.server()
                .on(LOGS + "tail=100", log(false, 4, "one"))
                .on(TASK, running(), fixture.server().closeWithoutReply(), running(), ended())
                .on(LOGS + "from=4", answer(4), answer(8, "two"))
                .on(LOGS + "from=8", answer(8));
        assertThat(fixture.run("logs", "-f", "7")).isEqualTo(new Result(0, "one\ntwo\n", ""));
    }

    @Test
    void givesUpWhenTheServerStaysAway() {
        fixture.server()
                .on(LOGS + "tail=100", log(false, 4, "one"))
                .on(TASK, running())
                .on(
                        LOGS + "from=4",
                        fixture.server()
                                .after(
                                        () -> fixture.server().stop(),
                                        fixture.server().closeWithoutReply()));
        Result result = fixture.run("logs", "-f", "7");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEqualTo("one\n");
        assertThat(result.err())
                .isEqualTo(
                        "berth: lost the server at "
                                + fixture.home()
                                + "; retrying\nberth: No Berth server at "
                                + fixture.home()
                                + ": start one with `berth start`\n");
        assertThat(fixture.clock().sleptTotal())
                .isBetween(Duration.ofSeconds(60), Duration.ofSeconds(61));
    }

    @Test
    void stopsWhenTheReaderHasLeft() {
        fixture.server()
                .on(LOGS + "tail=100", log(false, 4, "one"))
                .on(TASK, running())
                .on(LOGS + "from=4", answer(8, "two"));
        OutputStream broken =
                new OutputStream() {
                    @Override
                    public void write(int one) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                };
        PrintStream out = new PrintStream(broken, false, StandardCharsets.UTF_8);
        int status =
                new Cli(List.of())
                        .run(new String[] {"logs", "-f", "7"}, fixture.context(out, System.err));
        assertThat(status).isZero();
    }

    @Test
    void jsonIsOnePieceALine() {
        String first = log(false, 4, "one");
        String second = log(false, 8, "two");
        fixture.server()
                .on(LOGS + "tail=100", first)
                .on(TASK, ended())
                .on(LOGS + "from=4", second)
                .on(LOGS + "from=8", answer(8));
        assertThat(fixture.run("logs", "7", "-f", "--json").out())
                .isEqualTo(first + "\n" + second + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "abc", "1.5", ""})
    void aTailThatIsNoneIsNotUnderstood(String tail) {
        Result result = fixture.run("logs", "7", "--tail", tail);
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("berth: --tail needs a number, 1 or more\n");
    }

    @Test
    void oneTaskAtATime() {
        assertThat(fixture.run("logs", "7", "8").status()).isEqualTo(2);
        assertThat(fixture.run("logs").status()).isEqualTo(2);
    }

    @Test
    void anUnknownTaskIsRefused() {
        fixture.server()
                .on(
                        LOGS + "tail=100",
                        fixture.server().json(404, "{\"detail\":\"No task 7.\",\"code\":\"x\"}"));
        assertThat(fixture.run("logs", "7")).isEqualTo(new Result(1, "", "berth: No task 7.\n"));
    }
}
