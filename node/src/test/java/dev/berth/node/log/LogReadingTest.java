package dev.berth.node.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.port.read.TaskLogs.LogPart;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class LogReadingTest {
    private static final int MIB = 1024 * 1024;

    @TempDir Path directory;
    private Path log;

    @BeforeEach
    void name() {
        log = directory.resolve("tmux.log");
    }

    @Test
    void givesTheLastLines() throws IOException {
        write(numbered(250));

        var tail = LogTail.read(log, LogPart.WHOLE, 100);
        assertThat(tail.lines()).hasSize(100).startsWith("line 151").endsWith("line 250");
        assertThat(tail.truncated()).isTrue();
        assertThat(tail.nextOffset()).isEqualTo(Files.size(log));
        assertThat(LogTail.read(log, LogPart.WHOLE, 250).truncated()).isFalse();
        assertThat(LogTail.read(log, LogPart.WHOLE, 249).truncated()).isTrue();
        assertThat(LogTail.read(log, LogPart.WHOLE, 1000).lines()).hasSize(250);
    }

    @Test
    void aMissingOrEmptyLogHasNoLines() throws IOException {
        assertThat(LogTail.read(log, LogPart.WHOLE, 10))
                .isEqualTo(new LogText(List.of(), false, 0));
        assertThat(LogSlice.read(log, LogPart.WHOLE, 10, true))
                .isEqualTo(new LogText(List.of(), false, 0));
        write("");
        assertThat(LogTail.read(log, LogPart.WHOLE, 10))
                .isEqualTo(new LogText(List.of(), false, 0));
    }

    @Test
    void aLastLineNeedsNoNewline() throws IOException {
        write("a\n\nb");

        assertThat(LogTail.read(log, LogPart.WHOLE, 10))
                .isEqualTo(new LogText(List.of("a", "", "b"), false, 4));
        assertThat(LogTail.read(log, LogPart.WHOLE, 2))
                .isEqualTo(new LogText(List.of("", "b"), true, 4));
    }

    @Test
    void anyBytesBecomeValidText() throws IOException {
        Files.write(
                log,
                new byte[] {
                    (byte) 0xff,
                    (byte) 0xfe,
                    '\n',
                    0,
                    27,
                    '[',
                    '1',
                    'm',
                    '\n',
                    (byte) 0xe4,
                    (byte) 0xbd,
                    '\n'
                });

        assertThat(LogTail.read(log, LogPart.WHOLE, 10).lines())
                .containsExactly("\ufffd\ufffd", "\0\u001b[1m", "\ufffd");
    }

    @Test
    void aProgressBarShowsItsLastState() throws IOException {
        write("start\r\n  1%|\r 50%|\r100%|#### done\nnext\r");

        assertThat(LogTail.read(log, LogPart.WHOLE, 10).lines())
                .containsExactly("start", "100%|#### done", "next");
        assertThat(LogSlice.read(log, LogPart.WHOLE, 0, true).lines())
                .containsExactly("start", "100%|#### done", "next");
    }

    @Test
    void aLongLineIsClippedWithANote() throws IOException {
        write("before\n" + "é".repeat(3 * MIB / 2) + "\nafter\n");

        var lines = LogTail.read(log, LogPart.WHOLE, 10).lines();
        assertThat(lines).hasSize(3).startsWith("before").endsWith("after");
        assertThat(lines.get(1))
                .hasSizeLessThan(LineText.MOST_BYTES + 100)
                .startsWith("ééé")
                .endsWith(" [... 3,129,344 bytes more in this line]");
        assertThat(LogSlice.read(log, LogPart.WHOLE, 0, false).lines()).startsWith("before");
    }

    @Test
    void aLineWithoutBeginningIsShownFromItsEnd() throws IOException {
        write("x".repeat(6 * MIB) + "END");

        var tail = LogTail.read(log, LogPart.WHOLE, 10);
        assertThat(tail.lines())
                .singleElement()
                .asString()
                .startsWith("[...] xxx")
                .endsWith("xEND")
                .hasSizeLessThan(LineText.MOST_BYTES + 100);
        assertThat(tail.truncated()).isTrue();
    }

    @Test
    void gapsAreOneLineEach() throws IOException {
        Files.write(log, "head\ncut".getBytes(StandardCharsets.UTF_8));
        append(new byte[1000]);
        Files.write(log, "off\ntail\n".getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
        new GapList(List.of(new Gap(8, 1008))).write(log);
        var note = "[... 1,000 bytes dropped to keep the log under its cap ...]";

        assertThat(LogTail.read(log, LogPart.WHOLE, 10))
                .isEqualTo(
                        new LogText(
                                List.of("head", "cut", note, "off", "tail"), false, true, 1017));
        assertThat(LogTail.read(log, LogPart.WHOLE, 3))
                .isEqualTo(new LogText(List.of(note, "off", "tail"), true, true, 1017));
        assertThat(LogTail.read(log, LogPart.WHOLE, 2).lines()).containsExactly("off", "tail");
        assertThat(follow(0)).containsExactly("head", "cut", note, "off", "tail");
        assertThat(follow(500)).containsExactly(note, "off", "tail");
    }

    @Test
    void gapsOfATruncatedLogAreDropped() throws IOException {
        write("short\n");
        new GapList(List.of(new Gap(8, 1008))).write(log);

        assertThat(LogTail.read(log, LogPart.WHOLE, 10).lines()).containsExactly("short");
        Files.writeString(GapList.file(log), "garbage 1\n9 3\n99999999999999999999 1\n");
        assertThat(LogTail.read(log, LogPart.WHOLE, 10).lines()).containsExactly("short");
    }

    @Test
    void followingReturnsEachLineOnceAndWaitsForItsEnd() throws IOException {
        write("one\ntw");
        var first = LogSlice.read(log, LogPart.WHOLE, 0, false);
        assertThat(first).isEqualTo(new LogText(List.of("one"), false, 4));
        assertThat(LogSlice.read(log, LogPart.WHOLE, 4, false))
                .isEqualTo(new LogText(List.of(), true, 4));
        append("o\nthree".getBytes(StandardCharsets.UTF_8));

        assertThat(LogSlice.read(log, LogPart.WHOLE, 4, false))
                .isEqualTo(new LogText(List.of("two"), true, 8));
        assertThat(LogSlice.read(log, LogPart.WHOLE, 8, true))
                .isEqualTo(new LogText(List.of("three"), true, 13));
        assertThat(LogSlice.read(log, LogPart.WHOLE, 99, true))
                .as("cut short since")
                .isEqualTo(new LogText(List.of(), true, 13));
        assertThat(LogSlice.read(log, LogPart.WHOLE, -5, false).lines())
                .containsExactly("one", "two");
    }

    @Test
    void followingGetsThroughAnything() throws IOException {
        var seed = 42;
        var random = new Random(seed);
        for (var round = 0; round < 20; round++) {
            var bytes = new byte[random.nextInt(800_000)];
            random.nextBytes(bytes);
            for (var i = 0; i < bytes.length; i++) {
                bytes[i] =
                        random.nextInt(50) == 0
                                ? (byte) '\n'
                                : bytes[i] == '\n' || bytes[i] == '\r' ? (byte) 'x' : bytes[i];
            }
            Files.write(log, bytes);

            var expected = new String(bytes, StandardCharsets.UTF_8).split("\n", -1);
            var lines = follow(0);
            assertThat(lines.size())
                    .as("seed %d round %d", seed, round)
                    .isBetween(expected.length - 1, expected.length);
            assertThat(LogTail.read(log, LogPart.WHOLE, 50).lines())
                    .as("seed %d round %d", seed, round)
                    .isEqualTo(lines.subList(Math.max(0, lines.size() - 50), lines.size()));
        }
    }

    @Test
    void theTailOfTwoGigabytesIsReadWithoutTheRest() throws IOException {
        try (var file = new RandomAccessFile(log.toFile(), "rw")) {
            file.setLength(2L * 1024 * MIB);
            file.seek(file.length());
            file.write(numbered(250).getBytes(StandardCharsets.UTF_8));
        }

        assertThat(LogTail.read(log, LogPart.WHOLE, 100).lines()).hasSize(100).endsWith("line 250");
        assertThat(LogTail.read(log, LogPart.WHOLE, 1000).lines().getFirst())
                .as("a hole is passed over")
                .startsWith("[... 2,147,483,648 bytes dropped");
        assertThat(bytesReadFor(100)).isLessThan(256L * MIB);
        assertThat(bytesReadFor(1000)).isLessThan(256L * MIB);
    }

    /** By this whole process: other tests may read much meanwhile, but not all the time. */
    private long bytesReadFor(int lines) throws IOException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            long before = bytesRead();
            LogTail.read(log, LogPart.WHOLE, lines);
            least = Math.min(least, bytesRead() - before);
        }
        return least;
    }

    private static long bytesRead() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/io")).stream()
                .filter(line -> line.startsWith("rchar: "))
                .mapToLong(line -> Long.parseLong(line.substring("rchar: ".length())))
                .findFirst()
                .orElseThrow();
    }

    private List<String> follow(long offset) throws IOException {
        var lines = new ArrayList<String>();
        var at = offset;
        while (true) {
            var slice = LogSlice.read(log, LogPart.WHOLE, at, true);
            lines.addAll(slice.lines());
            if (slice.nextOffset() == at) {
                return lines;
            }
            at = slice.nextOffset();
        }
    }

    private void write(String text) throws IOException {
        Files.writeString(log, text);
    }

    private void append(byte[] bytes) throws IOException {
        Files.write(log, bytes, StandardOpenOption.APPEND);
    }

    private static String numbered(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(i -> "line " + i + "\n")
                .collect(Collectors.joining());
    }

    /** A task can give its log any size without writing a byte. */
    @Test
    void readersPassOverAHoleThatTheTaskMade() throws IOException {
        Files.writeString(log, "first\n");
        long tebibyte = 1L << 40;
        try (var file = FileChannel.open(log, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap("last\n".getBytes(StandardCharsets.UTF_8)), tebibyte);
        }

        assertThat(LogTail.read(log, LogPart.WHOLE, 10).lines())
                .hasSize(4)
                .startsWith("first")
                .endsWith("last");
        assertThat(LogFileBytes.startOfLast(log, LogPart.WHOLE, 100_000).offset()).isZero();
        long offset = 0;
        int pages = 0;
        for (long next = LogPages.from(log, LogPart.WHOLE, 0).next();
                next > offset;
                next = LogPages.from(log, LogPart.WHOLE, offset).next()) {
            offset = next;
            pages++;
        }
        assertThat(offset).isEqualTo(tebibyte + 5);
        assertThat(pages).isLessThan(10);
    }
}
