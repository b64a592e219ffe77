package dev.berth.node.log;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.linux.RegularFile;
import dev.berth.port.read.TaskLogs.LogPart;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

class LogCapTest {
    private static final int MIB = 1024 * 1024;
    private static final LogLimits SMALL = new LogLimits(8 * MIB, MIB);
    private static final byte[] LINE = ("x".repeat(1023) + "\n").getBytes(StandardCharsets.UTF_8);

    @TempDir Path directory;
    private Path log;

    @BeforeEach
    void create() throws IOException {
        log = Files.createFile(directory.resolve("tmux.log"));
    }

    @Test
    void aLogUnderItsCapIsLeftAlone() throws IOException {
        append(8 * 1024 - 100);
        try (var cap = LogCap.open(log)) {
            cap.check(SMALL, 1);
        }

        assertThat(GapList.file(log)).doesNotExist();
    }

    /** The name of the file with its gaps is too long. */
    @Test
    void aLogWhoseGapsCannotBeReadIsClosed() throws IOException {
        var longName = Files.createFile(directory.resolve("x".repeat(253)));

        assertThatThrownBy(() -> LogCap.open(longName)).isInstanceOf(IOException.class);
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            assertThat(open.filter(file -> isSameFile(file, longName))).isEmpty();
        }
    }

    private static boolean isSameFile(Path one, Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException closed) {
            return false;
        }
    }

    @Test
    void removesTheMiddleAndKeepsOffsetsHeadAndTail() throws IOException {
        Files.writeString(log, "first line\n");
        append(20 * 1024);
        Files.writeString(log, "last line\n", StandardOpenOption.APPEND);
        var size = Files.size(log);
        try (var cap = LogCap.open(log)) {
            cap.check(SMALL, 1);
        }

        assertThat(Files.size(log)).isEqualTo(size);
        assertThat(allocated()).isBetween(5L * MIB, 7L * MIB);
        assertThat(GapList.read(log, size).list()).containsExactly(new Gap(MIB, 15 * MIB));
        assertThat(LogTail.read(log, LogPart.WHOLE, 1).lines()).containsExactly("last line");
        assertThat(LogSlice.read(log, LogPart.WHOLE, 0, false).lines()).startsWith("first line");
        assertThat(LogSlice.read(log, LogPart.WHOLE, 5 * MIB, false))
                .isEqualTo(
                        new LogText(
                                List.of(
                                        "[... 14,680,064 bytes dropped to keep the log under its"
                                                + " cap ...]"),
                                true,
                                true,
                                15 * MIB));
    }

    @Test
    void theGapGrowsWithTheLogAndAlsoForTheNextServer() throws IOException {
        for (var round = 0; round < 3; round++) {
            append(10 * 1024);
            try (var cap = LogCap.open(log)) {
                cap.check(SMALL, 1);
            }
        }

        assertThat(GapList.read(log, Files.size(log)).list())
                .containsExactly(new Gap(MIB, 25 * MIB));
        assertThat(allocated()).isLessThan(7L * MIB);
    }

    @Test
    void tighterLimitsCutMore() throws IOException {
        append(30 * 1024);
        try (var cap = LogCap.open(log)) {
            cap.check(new LogLimits(20 * MIB, 4 * MIB), 1);
            assertThat(GapList.read(log, Files.size(log)).list())
                    .containsExactly(new Gap(4 * MIB, 19 * MIB));
            cap.check(SMALL, 2);
        }

        assertThat(GapList.read(log, Files.size(log)).list())
                .containsExactly(new Gap(MIB, 25 * MIB));
        assertThat(allocated()).isLessThan(7L * MIB);
        assertThat(LogLimits.DEFAULT.tightened()).isEqualTo(LogLimits.TIGHT);
        assertThat(SMALL.tightened()).isEqualTo(SMALL);
    }

    @Test
    void aTruncatedLogHasNoGaps() throws IOException {
        append(10 * 1024);
        try (var cap = LogCap.open(log)) {
            cap.check(SMALL, 1);
            assertThat(GapList.read(log, Files.size(log)).list()).isNotEmpty();
            Files.writeString(log, "anew\n");
            cap.check(SMALL, 2);
            append(7 * 1024);
            cap.check(SMALL, 3);
        }

        assertThat(GapList.read(log, Files.size(log)).list()).isEmpty();
    }

    @Test
    void checksFastGrowingLogsMoreOften() throws IOException {
        try (var cap = LogCap.open(log)) {
            assertThat(cap.check(SMALL, 1_000_000)).isEqualTo(Duration.ofMillis(250));
            append(1024);
            // 1 MiB in 10 ms leaves 70 ms until it is full: the next check comes after half of
            // that.
            assertThat(cap.check(SMALL, 11_000_000))
                    .isBetween(Duration.ofMillis(30), Duration.ofMillis(40));
            append(6 * 1024);
            assertThat(cap.check(SMALL, 12_000_000)).isEqualTo(Duration.ofMillis(10));
        }
    }

    @Test
    void aDeletedLogIsCutToo() throws IOException {
        append(100);
        try (var cap = LogCap.open(log);
                var held = RegularFile.openForWriting(log);
                var writer = Files.newOutputStream(log, StandardOpenOption.APPEND)) {
            Files.delete(log);
            for (var i = 0; i < 20 * 1024; i++) {
                writer.write(LINE);
            }
            cap.check(SMALL, 1);

            assertThat(held.extent().allocated()).isLessThan(7L * MIB);
        }
    }

    @Test
    void aFastGrowingLogIsCutRepeatedlyAndLowSpaceCutsImmediately() throws Exception {
        try (var keeper = LogCapMonitor.start(new LogLimits(40 * MIB, 4 * MIB))) {
            var kept = keeper.watch(log);
            var flood =
                    new ProcessBuilder("cat")
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                            .start();
            // In bursts, because the amount written between two checks depends on the machine.
            try (var wave = flood.getOutputStream()) {
                for (var megabytes = 60; megabytes <= 600; megabytes += 60) {
                    for (var i = 0; i < 60 * 1024; i++) {
                        wave.write(LINE);
                    }
                    wave.flush();
                    long size = (long) megabytes * MIB;
                    eventually(
                            "cut to its cap",
                            () -> Files.size(log) == size && allocated() <= 40L * MIB);
                }
            }
            assertThat(flood.waitFor()).isZero();

            keeper.setSpaceLow(true);
            eventually("cut to the tightest", () -> allocated() <= LogLimits.TIGHT.capBytes());
            kept.close();
        }
    }

    @Test
    void closeCutsALogThatGrewAfterTheLastCheck() throws IOException {
        try (var keeper = LogCapMonitor.start(SMALL)) {
            var kept = keeper.watch(log);
            append(20 * 1024);
            kept.close();
        }

        assertThat(allocated()).isLessThanOrEqualTo(SMALL.capBytes());
    }

    @Test
    void limitsMustLeaveRoom() {
        assertThatThrownBy(() -> new LogLimits(MIB, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LogLimits(8 * MIB, 4 * MIB))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private long allocated() throws IOException {
        try (var file = RegularFile.openForWriting(log)) {
            return file.extent().allocated();
        }
    }

    private void append(int lines) throws IOException {
        try (var writer = Files.newOutputStream(log, StandardOpenOption.APPEND)) {
            for (var i = 0; i < lines; i++) {
                writer.write(LINE);
            }
        }
    }

    /** Every process of a task inherits descriptor 47, and one may fill it. */
    @Test
    void theEndReportIsCappedToo() throws Exception {
        Files.writeString(log, "x\n");
        var report = log.resolveSibling(EndReportCap.NAME);
        Files.writeString(report, "/bin\0/bin/python\n" + "y".repeat(8 * 1024 * 1024));
        try (var monitor = LogCapMonitor.start(LogLimits.DEFAULT);
                var _ = monitor.watch(log);
                var file = RegularFile.open(report)) {
            eventually(
                    "the end report is small",
                    () -> file.extent().allocated() < 2 * EndReportCap.MAX_BYTES);
        }
        assertThat(Files.readString(report)).startsWith("/bin\0/bin/python\nyyy");
    }
}
