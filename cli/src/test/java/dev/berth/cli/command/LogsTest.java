package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Cli;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.stage.Stage;
import dev.berth.cli.stage.Stage.Result;
import dev.berth.cli.stage.StubServer.Answer;
import dev.berth.cli.stage.TaskJson;

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

class LogsTest {

    private static final String TASK = "GET /api/tasks/7";
    private static final String LOGS = "GET /api/tasks/7/logs?";

    @TempDir private Path root;
    private Stage stage;

    @BeforeEach
    void open() {
        stage = new Stage(root);
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private static String log(boolean truncated, long next, String... lines) {
        return JsonText.of(
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

    private Answer answer(long next, String... lines) {
        return stage.server().json(200, log(false, next, lines));
    }

    private Answer task(TaskJson task) {
        return stage.server().json(200, task.toString());
    }

    private Answer running() {
        return task(TaskJson.detail(7).running(0));
    }

    private Answer ended() {
        return task(TaskJson.detail(7).failed(1));
    }

    @Test
    void printsTheLastHundredLines() {
        stage.server().on(LOGS + "tail=100", log(true, 9, "one", "", "two"));
        assertThat(stage.run("logs", "7")).isEqualTo(new Result(0, "one\n\ntwo\n", ""));
    }

    @Test
    void printsAsManyAsAsked() {
        stage.server().on(LOGS + "tail=5", log(false, 9, "x"));
        assertThat(stage.run("logs", "--tail", "5", "7").out()).isEqualTo("x\n");
    }

    @Test
    void aPersonIsToldThatThereIsMore() {
        stage.terminal(true);
        stage.server().on(LOGS + "tail=100", log(true, 9, "x"));
        assertThat(stage.run("logs", "7").err())
                .isEqualTo("berth: there is more before this: --tail N shows it\n");
    }

    @Test
    void controlSequencesAreLeftOutUnlessRaw() {
        stage.server()
                .on(LOGS + "tail=100", log(false, 9, "\u001b[31mred\u001b[0m\u0007", "1%\r99%"));
        assertThat(stage.run("logs", "7").out()).isEqualTo("red\n99%\n");
        assertThat(stage.run("logs", "7", "--raw").out())
                .isEqualTo("\u001b[31mred\u001b[0m\u0007\n1%\r99%\n");
    }

    @Test
    void followsUntilTheTaskHasEnded() {
        stage.server()
                .on(LOGS + "tail=100", log(false, 4, "one"))
                .on(TASK, running(), running(), running(), ended())
                .on(LOGS + "from=4", answer(8, "two"))
                .on(LOGS + "from=8", answer(8), answer(14, "three", "four"))
                .on(LOGS + "from=14", answer(18, "last"))
                .on(LOGS + "from=18", answer(18));
        assertThat(stage.run("logs", "-f", "7"))
                .isEqualTo(new Result(0, "one\ntwo\nthree\nfour\nlast\n", ""));
        assertThat(stage.server().lines())
                .as("the state is asked before the log, so that nothing is missed at the end")
                .endsWith(TASK, LOGS + "from=14", TASK, LOGS + "from=18");
    }

    @Test
    void asksLessOftenWhileNothingIsWritten() {
        Answer[] states = new Answer[21];
        java.util.Arrays.fill(states, running());
        states[20] = ended();
        stage.server()
                .on(LOGS + "tail=100", log(false, 0))
                .on(TASK, states)
                .on(LOGS + "from=0", answer(0));
        assertThat(stage.run("logs", "--follow", "7").status()).isZero();
        assertThat(stage.time().paused()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(20));
    }

    @Test
    void followsThroughARestartOfTheServer() {
        stage.server()
                .on(LOGS + "tail=100", log(false, 4, "one"))
                .on(TASK, running(), stage.server().hangUp(), running(), ended())
                .on(LOGS + "from=4", answer(4), answer(8, "two"))
                .on(LOGS + "from=8", answer(8));
        assertThat(stage.run("logs", "-f", "7")).isEqualTo(new Result(0, "one\ntwo\n", ""));
    }

    @Test
    void givesUpWhenTheServerStaysAway() {
        stage.server()
                .on(LOGS + "tail=100", log(false, 4, "one"))
                .on(TASK, running())
                .on(
                        LOGS + "from=4",
                        stage.server().after(() -> stage.server().stop(), stage.server().hangUp()));
        Result result = stage.run("logs", "-f", "7");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEqualTo("one\n");
        assertThat(result.err())
                .isEqualTo(
                        "berth: lost the server at "
                                + stage.home()
                                + "; trying again\nberth: No Berth server at "
                                + stage.home()
                                + ": start one with `berth start`\n");
        assertThat(stage.time().paused()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(61));
    }

    @Test
    void stopsWhenNobodyReadsAnyMore() {
        stage.server()
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
                        .run(new String[] {"logs", "-f", "7"}, stage.around(out, System.err));
        assertThat(status).isZero();
    }

    @Test
    void jsonIsOnePieceALine() {
        String first = log(false, 4, "one");
        String second = log(false, 8, "two");
        stage.server()
                .on(LOGS + "tail=100", first)
                .on(TASK, ended())
                .on(LOGS + "from=4", second)
                .on(LOGS + "from=8", answer(8));
        assertThat(stage.run("logs", "7", "-f", "--json").out())
                .isEqualTo(first + "\n" + second + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "abc", "1.5", ""})
    void aTailThatIsNoneIsNotUnderstood(String tail) {
        Result result = stage.run("logs", "7", "--tail", tail);
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("berth: --tail takes a number from 1 up\n");
    }

    @Test
    void oneTaskAtATime() {
        assertThat(stage.run("logs", "7", "8").status()).isEqualTo(2);
        assertThat(stage.run("logs").status()).isEqualTo(2);
    }

    @Test
    void anUnknownTaskIsRefused() {
        stage.server()
                .on(
                        LOGS + "tail=100",
                        stage.server().json(404, "{\"detail\":\"No task 7.\",\"code\":\"x\"}"));
        assertThat(stage.run("logs", "7")).isEqualTo(new Result(1, "", "berth: No task 7.\n"));
    }
}
