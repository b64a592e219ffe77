package dev.berth.cli.command.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    private static final int PIECE_BYTES = 262144;
    private static final String TASK = "GET /api/tasks/7";
    private static final String LOGS = "GET /api/tasks/7/logs?";
    private static final String RAW = "GET /api/tasks/7/logs/raw?limit=262144&";
    private static final String ALL = RAW + "from=0&banner=false";
    private static final String LAST_100 = RAW + "tail=100&banner=false";

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

    /** A piece of the log of attempt 1. */
    private StubReply piece(long next, String text) {
        return piece(1, 1, next, text);
    }

    private StubReply piece(int attempt, int attempts, long next, String text) {
        return fixture.server()
                .raw(
                        "HTTP/1.1 200 OK\r\nX-Log-Attempt: "
                                + attempt
                                + "\r\nX-Log-Attempts: "
                                + attempts
                                + "\r\nX-Log-Truncated: true\r\nX-Next-Offset: "
                                + next
                                + "\r\nContent-Length: "
                                + text.getBytes(StandardCharsets.UTF_8).length
                                + "\r\n\r\n"
                                + text);
    }

    private static String from(long offset) {
        return RAW + "from=" + offset + "&banner=false&attempt=1";
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
    void aPipeGetsEverything() {
        fixture.server()
                .on(ALL, piece(5, "one\n\n"))
                .on(from(5), piece(8, "t"))
                .on(from(8), piece(12, "wo\nlast"))
                .on(from(12), piece(12, ""));
        assertThat(fixture.run("logs", "7")).isEqualTo(new Result(0, "one\n\ntwo\nlast\n", ""));
    }

    /** Lines of one letter that fill a piece. */
    private static String fullPiece(String letter) {
        return (letter.repeat(63) + "\n").repeat(PIECE_BYTES / 64);
    }

    @Test
    void aLongLogIsPrintedInOrder() {
        fixture.server()
                .on(ALL, piece(PIECE_BYTES, fullPiece("a")))
                .on(from(PIECE_BYTES), piece(2 * PIECE_BYTES, fullPiece("b")))
                .on(from(2 * PIECE_BYTES), piece(3 * PIECE_BYTES, fullPiece("c")))
                .on(from(3 * PIECE_BYTES), piece(3 * PIECE_BYTES + 4, "last"))
                .on(from(3 * PIECE_BYTES + 4), piece(3 * PIECE_BYTES + 4, ""));
        assertThat(fixture.run("logs", "7"))
                .isEqualTo(
                        new Result(
                                0,
                                fullPiece("a") + fullPiece("b") + fullPiece("c") + "last\n",
                                ""));
    }

    @Test
    void aRefusalInTheMiddleOfALongLogIsReported() {
        fixture.server()
                .on(ALL, piece(PIECE_BYTES, fullPiece("a")))
                .on(
                        from(PIECE_BYTES),
                        fixture.server().json(503, "{\"detail\":\"the log cannot be read\"}"));
        Result result = fixture.run("logs", "7");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEqualTo(fullPiece("a"));
        assertThat(result.err()).contains("the log cannot be read");
    }

    @Test
    void aBrokenHeaderInTheMiddleOfALongLogEndsTheCommand() {
        fixture.server()
                .on(ALL, piece(PIECE_BYTES, fullPiece("a")))
                .on(
                        from(PIECE_BYTES),
                        fixture.server()
                                .raw(
                                        "HTTP/1.1 200 OK\r\n"
                                                + "X-Log-Attempts: 1\r\n"
                                                + "X-Next-Offset: far\r\n"
                                                + "Content-Length: 0\r\n\r\n"));
        assertThatThrownBy(() -> fixture.run("logs", "7"))
                .isInstanceOf(NumberFormatException.class);
    }

    @Test
    void printsAsManyLinesAsAsked() {
        fixture.server()
                .on(RAW + "tail=500000&banner=false", piece(2, "x\n"))
                .on(from(2), piece(2, ""));
        assertThat(fixture.run("logs", "--tail", "500000", "7").out()).isEqualTo("x\n");
    }

    @Test
    void aTerminalGetsTheLastHundredLinesAndAPersonIsInformedThatThereIsMore() {
        fixture.setTerminal(true);
        fixture.server().on(LAST_100, piece(2, "x\n")).on(from(2), piece(2, ""));
        assertThat(fixture.run("logs", "7"))
                .isEqualTo(
                        new Result(
                                0,
                                "x\n",
                                "berth: earlier lines are not shown: use --tail N, or a pipe for"
                                        + " all\n"));
    }

    @Test
    void anEarlierAttemptAndTheBannersCanBeChosen() {
        fixture.server()
                .on(RAW + "from=0&attempt=2", piece(2, 3, 4, "two\n"))
                .on(RAW + "from=4&attempt=2", piece(2, 3, 4, ""));
        assertThat(fixture.run("logs", "7", "--attempt", "2", "--banner").out()).isEqualTo("two\n");
        assertThat(fixture.run("logs", "7", "--attempt", "0").status()).isEqualTo(2);
    }

    @Test
    void severalLogsFollowEachOther() {
        String other = "GET /api/tasks/8/logs/raw?limit=262144&from=";
        fixture.server()
                .on(ALL, piece(2, "a\n"))
                .on(from(2), piece(2, ""))
                .on(other + "0&banner=false", piece(2, "b\n"))
                .on(other + "2&banner=false&attempt=1", piece(2, ""));
        assertThat(fixture.run("logs", "7", "8").out())
                .isEqualTo("==> task 7 <==\na\n\n==> task 8 <==\nb\n");
        assertThat(fixture.run("logs", "-f", "7", "8").status()).isEqualTo(2);
        Result oneIsUnknown = fixture.run("logs", "9", "7");
        assertThat(oneIsUnknown.status()).isEqualTo(1);
        assertThat(oneIsUnknown.out()).endsWith("==> task 7 <==\na\n");
    }

    @Test
    void controlSequencesAreLeftOutUnlessRaw() {
        String text = "plain\n\u001b[31mred\u001b[0m\u0007\n1%\r99%\n训练\n";
        fixture.server().on(ALL, piece(9, text)).on(from(9), piece(9, ""));
        assertThat(fixture.run("logs", "7").out()).isEqualTo("plain\nred\n99%\n训练\n");
        assertThat(fixture.run("logs", "7", "--raw").out()).isEqualTo(text);
    }

    @Test
    void followsUntilTheTaskHasEnded() {
        fixture.server()
                .on(TASK, running(), running(), running(), ended())
                .on(ALL, piece(4, "one\n"))
                .on(from(4), piece(6, "tw"), piece(6, ""))
                .on(from(6), piece(6, ""), piece(14, "o\nthree\n"))
                .on(from(14), piece(14, ""), piece(18, "last"))
                .on(from(18), piece(18, ""));
        assertThat(fixture.run("logs", "-f", "7"))
                .isEqualTo(new Result(0, "one\ntwo\nthree\nlast\n", ""));
        assertThat(fixture.server().requestLines())
                .as("the state is asked before the log, so that nothing is missed at the end")
                .endsWith(TASK, from(18));
    }

    @Test
    void followsFromOneAttemptToTheNext() {
        fixture.server()
                .on(TASK, running(), running(), ended())
                .on(ALL, piece(1, 1, 4, "one\n"))
                .on(from(4), piece(1, 1, 4, ""), piece(1, 2, 4, ""))
                .on(RAW + "from=0&banner=false&attempt=2", piece(2, 2, 4, "two\n"))
                .on(RAW + "from=4&banner=false&attempt=2", piece(2, 2, 4, ""));
        assertThat(fixture.run("logs", "-f", "7"))
                .isEqualTo(new Result(0, "one\ntwo\n", "berth: task 7 attempt 2\n"));
    }

    @Test
    void asksLessOftenWhileNothingIsWritten() {
        StubReply[] states = new StubReply[21];
        java.util.Arrays.fill(states, running());
        states[20] = ended();
        fixture.server().on(TASK, states).on(ALL, piece(0, "")).on(from(0), piece(0, ""));
        assertThat(fixture.run("logs", "--follow", "7").status()).isZero();
        assertThat(fixture.clock().sleptTotal())
                .isBetween(Duration.ofSeconds(15), Duration.ofSeconds(20));
    }

    @Test
    void followsThroughARestartOfTheServer() {
        fixture.server()
                .on(TASK, running(), fixture.server().closeWithoutReply(), running(), ended())
                .on(ALL, piece(4, "one\n"))
                .on(from(4), piece(4, ""), piece(8, "two\n"))
                .on(from(8), piece(8, ""));
        assertThat(fixture.run("logs", "-f", "7")).isEqualTo(new Result(0, "one\ntwo\n", ""));
    }

    @Test
    void givesUpWhenTheServerStaysAway() {
        fixture.server()
                .on(TASK, running())
                .on(ALL, piece(4, "one\n"))
                .on(
                        from(4),
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
        fixture.server().on(TASK, running()).on(ALL, piece(4, "one\n")).on(from(4), piece(4, ""));
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
                .on(LOGS + "tail=100&banner=false", first)
                .on(TASK, ended())
                .on(LOGS + "from=4&banner=false", second)
                .on(LOGS + "from=8&banner=false", answer(8));
        assertThat(fixture.run("logs", "7", "-f", "--json").out())
                .isEqualTo(first + "\n" + second + "\n");
    }

    @Test
    void jsonContinuesWithTheNextAttemptFromItsBeginning() {
        String first = log(false, 400, "one");
        String second = log(false, 4, "two");
        fixture.server()
                .on(
                        TASK,
                        task(SampleTaskJson.detail(7).running(0).attempts(1)),
                        task(SampleTaskJson.detail(7).failed(1).attempts(2)))
                .on(LOGS + "tail=100&banner=false&attempt=1", first)
                .on(LOGS + "from=400&banner=false&attempt=1", answer(400))
                .on(LOGS + "from=0&banner=false&attempt=2", second)
                .on(LOGS + "from=4&banner=false&attempt=2", answer(4));
        assertThat(fixture.run("logs", "7", "-f", "--json"))
                .isEqualTo(
                        new Result(0, first + "\n" + second + "\n", "berth: task 7 attempt 2\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "abc", "1.5", ""})
    void aTailThatIsNoneIsNotUnderstood(String tail) {
        Result result = fixture.run("logs", "7", "--tail", tail);
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("berth: --tail needs a number, 1 or more\n");
    }

    @Test
    void aTaskMustBeNamed() {
        assertThat(fixture.run("logs").status()).isEqualTo(2);
    }

    @Test
    void anUnknownTaskIsRefused() {
        fixture.server()
                .on(ALL, fixture.server().json(404, "{\"detail\":\"No task 7.\",\"code\":\"x\"}"));
        assertThat(fixture.run("logs", "7")).isEqualTo(new Result(1, "", "berth: No task 7.\n"));
    }
}
