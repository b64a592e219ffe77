package dev.berth.node.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.port.read.TaskLogs.LogPart;
import dev.berth.port.read.TaskLogs.LogStart;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class OutputRangeTest {

    private static final String FIRST =
            "===== Scheduler Environment =====\nTimestamp: 2026-01-01T00:00:00+0000\nPATH: /bin\n"
                    + "Python on PATH: /bin/python\n";
    private static final String START =
            "===== Command Script Start =====\nScript PATH: /bin\ncommand -v python: not found\n"
                    + "command -v conda: not found\n";
    private static final String EXIT =
            "===== Command Script Exit =====\nPATH: /bin:/usr/bin\npython -> not found\n";

    @TempDir Path directory;
    private Path log;

    @BeforeEach
    void open() {
        log = directory.resolve("tmux.log");
    }

    private void write(String text) throws IOException {
        Files.writeString(log, text);
    }

    private String output() throws IOException {
        var all = new ByteArrayOutputStream();
        long offset = 0;
        while (true) {
            var piece = LogFileBytes.read(log, LogPart.OUTPUT, offset, 7);
            if (piece.bytes().length == 0) {
                return all.toString(StandardCharsets.UTF_8);
            }
            all.writeBytes(piece.bytes());
            offset = piece.nextOffset();
        }
    }

    @Test
    void theOutputIsBetweenTheBanners() throws IOException {
        write(FIRST + "one\n\ntwo\n" + EXIT);
        assertThat(output()).isEqualTo("one\n\ntwo\n");
        assertThat(LogTail.read(log, LogPart.OUTPUT, 10).lines()).containsExactly("one", "", "two");
        assertThat(LogTail.read(log, LogPart.OUTPUT, 3).truncated()).isFalse();
        assertThat(LogTail.read(log, LogPart.OUTPUT, 2).truncated()).isTrue();
        assertThat(LogTail.read(log, LogPart.WHOLE, 100).lines()).hasSize(10);
        var slice = LogSlice.read(log, LogPart.OUTPUT, 0, false);
        assertThat(slice.lines()).containsExactly("one", "", "two");
        assertThat(slice.truncated()).isFalse();
        assertThat(LogSlice.read(log, LogPart.OUTPUT, slice.nextOffset(), true).nextOffset())
                .as("a follower stays before the banner")
                .isEqualTo(slice.nextOffset());
    }

    /** The shim writes in several steps, and a reader can come between any two bytes. */
    @Test
    void aBannerThatIsBeingWrittenIsNotShown() throws IOException {
        for (int length = 0; length <= EXIT.length(); length++) {
            write(FIRST + "one\n" + EXIT.substring(0, length));
            var lines = LogSlice.read(log, LogPart.OUTPUT, 0, false).lines();
            assertThat(lines).as("%d bytes of it", length).containsExactly("one");
        }
        for (int length = FIRST.indexOf('\n') + 1; length < FIRST.length(); length++) {
            write(FIRST.substring(0, length));
            assertThat(output()).as("%d bytes of the first one", length).isEmpty();
        }
    }

    @Test
    void theBannerOfTheCommandsShellIsFoldedToo() throws IOException {
        write(FIRST + START + "one\n" + EXIT);
        assertThat(output()).isEqualTo("one\n");
        write(FIRST + "(base) activated\n" + START + "one\n" + START + "two\n" + EXIT);
        assertThat(output()).isEqualTo("one\n" + START + "two\n");
        write(FIRST + "conda.sh: No such file or directory\n" + EXIT);
        assertThat(output())
                .as("why the command did not begin")
                .isEqualTo("conda.sh: No such file or directory\n");
        for (int length = START.indexOf('\n') + 1; length < START.length(); length++) {
            write(FIRST + START.substring(0, length));
            assertThat(output()).as("%d bytes of it", length).isEmpty();
        }
    }

    @Test
    void theSameTextInTheOutputStays() throws IOException {
        var copy = FIRST + START + "inner\n" + EXIT;
        write(FIRST + START + copy + "more\n" + EXIT);
        assertThat(output()).isEqualTo(copy + "more\n");
        write(FIRST + START + copy + "more\n");
        assertThat(output()).isEqualTo(copy + "more\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 20_000, 60_000})
    void aLongPathIsPartOfTheBanner(int length) throws IOException {
        var path = "/" + "x".repeat(length);
        write(
                FIRST.replace("/bin\n", path + "\n")
                        + START.replace("/bin\n", path + "\n")
                        + "one\n"
                        + EXIT.replace("/usr/bin", path));
        assertThat(output()).isEqualTo("one\n");
    }

    @Test
    void theNewlineBeforeTheBannerOfALongLogIsNotOutput() throws IOException {
        var text = "0123456789\n".repeat(2000);
        write(FIRST + text + "\n" + EXIT);
        assertThat(output()).isEqualTo(text);
    }

    @Test
    void aLogWithoutBannersIsAllOutput() throws IOException {
        assertThat(output()).as("there is no log").isEmpty();
        for (var text : List.of("", "x", "plain\n", "berth: cannot write go\n", EXIT + "x\n")) {
            write(text);
            assertThat(output()).isEqualTo(text);
        }
    }

    @Test
    void aLineReplacesRemovedBytes() throws IOException {
        var line = "[... 1,000 bytes dropped to keep the log under its cap ...]\n";
        write(FIRST + "head\n" + "\0".repeat(1000) + "tail\n" + EXIT);
        long gap = FIRST.length() + 5L;
        new GapList(List.of(new Gap(gap, gap + 1000))).write(log);
        assertThat(output()).isEqualTo("head\n" + line + "tail\n");
        new GapList(List.of(new Gap(gap - 1, gap + 999))).write(log);
        assertThat(output()).isEqualTo("head\n" + line + "\0tail\n");
        assertThat(LogFileBytes.read(log, LogPart.OUTPUT, 0, 1).end())
                .isEqualTo(Files.size(log) - EXIT.length());
        assertThat(LogFileBytes.read(log, LogPart.WHOLE, 0, 1).end()).isEqualTo(Files.size(log));
    }

    @Test
    void anyNumberOfLastLinesCanBeFound() throws IOException {
        write(FIRST + "1\n".repeat(400_000) + "two\nthree\n\n" + EXIT);
        long size = Files.size(log);
        assertThat(LogFileBytes.startOfLast(log, LogPart.WHOLE, 1))
                .isEqualTo(new LogStart(size - "python -> not found\n".length(), true));
        long end = size - EXIT.length() - 1;
        assertThat(LogFileBytes.startOfLast(log, LogPart.OUTPUT, 2))
                .isEqualTo(new LogStart(end - "two\nthree\n".length(), true));
        assertThat(LogFileBytes.startOfLast(log, LogPart.OUTPUT, 300_002).offset())
                .isEqualTo(end - "two\nthree\n".length() - 600_000);
        assertThat(LogFileBytes.startOfLast(log, LogPart.OUTPUT, 400_002).truncated()).isFalse();
        assertThat(LogFileBytes.startOfLast(log, LogPart.OUTPUT, Long.MAX_VALUE))
                .isEqualTo(new LogStart(FIRST.length(), false));
    }
}
