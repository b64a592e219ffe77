package dev.berth.cli.command.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Cli;
import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class ServerLogTest {

    private static final String STARTED =
            line("Engine", "server.started task=- attempt=- by=berth {epoch=4}");
    private static final String SUBMITTED =
            line(
                    "Engine",
                    "task.submitted task=7 attempt=- by=ada"
                            + " {name=train, priority=NORMAL, queue=auto}");
    private static final String GRANTED =
            line("Engine", "attempt.granted task=7 attempt=1 by=berth {gpus=0,1, waited_ms=12}");
    private static final String FAILED =
            line("Engine", "task.failed task=7 attempt=- by=berth {gpus=0,1, reason=exit code 3}");
    private static final String PLAIN = line("ServerInstance", "the GPUs are read by nvml");
    private static final String BROKEN =
            "2025-11-15 06:00:00.123+00:00 SEVERE Engine  the pass failed; nothing is started by"
                    + " it\n"
                    + "    java.lang.IllegalStateException: no such card\n"
                    + "        at dev.berth.core.Planner.pass(Planner.java:7)\n";

    @TempDir private Path root;
    private CliFixture fixture;

    private static String line(String source, String text) {
        return "2025-11-15 06:00:00.123+00:00 INFO " + source + "  " + text + "\n";
    }

    @BeforeEach
    void open() throws IOException {
        fixture = new CliFixture(root);
        Files.createDirectories(fixture.home().resolve("logs"));
        fixture.server().close();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Path log(String name, String text) {
        try {
            return Files.writeString(
                    fixture.home().resolve("logs").resolve(name),
                    text,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void itIsReadWithoutAServer() {
        log("berth.log", STARTED + PLAIN + SUBMITTED);
        assertThat(fixture.run("logs", "--server"))
                .isEqualTo(new Result(0, STARTED + PLAIN + SUBMITTED, ""));
        assertThat(fixture.server().received()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "attempt.granted, attempt.granted",
        "task., task.submitted task.failed",
        "task, task.submitted task.failed",
        "server.started, server.started",
        "attempt.grant, ''",
        "cards, ''"
    })
    void onlyEventsOfAKindAreShownWhereOneIsNamed(String kind, String shown) {
        log("berth.log", STARTED + PLAIN + SUBMITTED + GRANTED + BROKEN + FAILED);
        Result result = fixture.run("logs", "--server", "--kind", kind);
        assertThat(result.status()).isZero();
        assertThat(
                        result.out()
                                .lines()
                                .map(line -> line.split(" +")[4])
                                .collect(Collectors.joining(" ")))
                .isEqualTo(shown);
    }

    @Test
    void severalKindsMayBeNamed() {
        log("berth.log", STARTED + SUBMITTED + GRANTED + FAILED);
        assertThat(fixture.run("logs", "--server", "--kind", "server.", "--kind", "attempt.").out())
                .isEqualTo(STARTED + GRANTED);
    }

    @Test
    void anExceptionKeepsItsStack() {
        log("berth.log", STARTED + BROKEN + FAILED);
        assertThat(fixture.run("logs", "--server", "-n", "2").out()).isEqualTo(BROKEN + FAILED);
    }

    @Test
    void theLastLinesComeFromAsManyPartsAsItTakes() {
        log("berth.log.2", SUBMITTED + GRANTED);
        log("berth.log.1", PLAIN + FAILED);
        log("berth.log", STARTED);
        assertThat(fixture.run("logs", "--server").out())
                .isEqualTo(SUBMITTED + GRANTED + PLAIN + FAILED + STARTED);
        assertThat(fixture.run("logs", "--server", "-n4").out())
                .isEqualTo(GRANTED + PLAIN + FAILED + STARTED);
        assertThat(fixture.run("logs", "--server", "--tail", "1", "--kind", "attempt.").out())
                .isEqualTo(GRANTED);
    }

    @Test
    void aHundredLinesAreUsual() {
        log(
                "berth.log",
                IntStream.range(0, 250)
                        .mapToObj(number -> line("Serving", "number " + number))
                        .collect(Collectors.joining()));
        List<String> shown = fixture.run("logs", "--server").out().lines().toList();
        assertThat(shown).hasSize(100);
        assertThat(shown.getFirst()).endsWith("number 150");
    }

    @Test
    void controlSequencesAreTakenOutUnlessAskedFor() {
        log("berth.log", line("Engine", "a\u001b[31mred\u001b[0m"));
        assertThat(fixture.run("logs", "--server").out()).isEqualTo(line("Engine", "ared"));
        assertThat(fixture.run("logs", "--server", "--raw").out()).contains("a\u001b[31mred");
    }

    @Test
    void aProgramGetsAnObjectForEachEntry() {
        log("berth.log", "left of an entry\n" + GRANTED + BROKEN);
        assertThat(fixture.run("logs", "--server", "--json").out())
                .isEqualTo(
                        """
                        {"at":"","level":"","source":"","kind":"","text":"left of an entry","more":[]}
                        {"at":"2025-11-15 06:00:00.123+00:00","level":"INFO","source":"Engine","kind":"attempt.granted","task":7,"attempt":1,"text":"attempt.granted task=7 attempt=1 by=berth {gpus=0,1, waited_ms=12}","more":[]}
                        {"at":"2025-11-15 06:00:00.123+00:00","level":"SEVERE","source":"Engine","kind":"","text":"the pass failed; nothing is started by it","more":["    java.lang.IllegalStateException: no such card","        at dev.berth.core.Planner.pass(Planner.java:7)"]}
                        """);
    }

    @Test
    void aHomeWithoutALogReportsIt() {
        assertThat(fixture.run("logs", "--server"))
                .isEqualTo(
                        new Result(
                                1,
                                "",
                                "berth: no log at "
                                        + fixture.home().resolve("logs/berth.log")
                                        + ": no server has run there\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--server 7", "--kind task. 7", "--server -n 0", "--server -n x", "--kind"})
    void whatMakesNoSenseIsNotUnderstood(String words) {
        log("berth.log", STARTED);
        assertThat(fixture.run(("logs " + words).split(" ")).status()).isEqualTo(2);
    }

    @Test
    void itIsFollowedAcrossPartsWithNoLineLostOrTwice() throws IOException {
        Path logs = fixture.home().resolve("logs");
        log("berth.log", line("Serving", "number 0") + "half a li");
        int[] step = {0};
        Reader reader = new Reader("number 5");
        fixture.clock()
                .onSleep(
                        () -> {
                            try {
                                switch (step[0]++) {
                                    case 0 ->
                                            log("berth.log", "ne\n" + line("Serving", "number 1"));
                                    case 1 -> {
                                        log("berth.log", line("Serving", "number 2"));
                                        Files.move(
                                                logs.resolve("berth.log"),
                                                logs.resolve("berth.log.1"));
                                    }
                                    case 2 -> {
                                        log("berth.log", line("Serving", "number 3"));
                                        Files.move(
                                                logs.resolve("berth.log.1"),
                                                logs.resolve("berth.log.2"));
                                        Files.move(
                                                logs.resolve("berth.log"),
                                                logs.resolve("berth.log.1"));
                                        log("berth.log", line("Serving", "number 4"));
                                    }
                                    default -> log("berth.log", line("Serving", "number 5"));
                                }
                            } catch (IOException failed) {
                                throw new UncheckedIOException(failed);
                            }
                        });
        int status =
                new Cli(List.of())
                        .run(
                                new String[] {"logs", "--server", "-f"},
                                fixture.context(reader.stream(), reader.stream()));
        assertThat(status).isZero();
        assertThat(reader.text())
                .isEqualTo(
                        line("Serving", "number 0")
                                + "half a line\n"
                                + IntStream.rangeClosed(1, 5)
                                        .mapToObj(number -> line("Serving", "number " + number))
                                        .collect(Collectors.joining()));
    }

    /** Reads until it has seen a word, then closes. */
    private static final class Reader extends ByteArrayOutputStream {
        private final String last;

        Reader(String last) {
            this.last = last;
        }

        @Override
        public synchronized void flush() throws IOException {
            if (text().contains(last)) {
                throw new IOException("gone");
            }
        }

        String text() {
            return toString(StandardCharsets.UTF_8);
        }

        PrintStream stream() {
            return new PrintStream(this, false, StandardCharsets.UTF_8);
        }
    }
}
