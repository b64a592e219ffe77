package dev.berth.app.bench;

import dev.berth.node.log.LogFileSearch;
import dev.berth.node.log.LogPages;
import dev.berth.port.read.LogFiles.LogSearch;
import dev.berth.port.read.TaskLogs.LogPart;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;

/** Measures the search in a log of 200 MB, and the way from a match to the lines around it. */
final class LogBench {

    private static final long BYTES = 200_000_000;
    private static final int RUNS = 10;

    private final BenchReport report;

    LogBench(BenchReport report) {
        this.report = report;
    }

    /**
     * @param directory a directory on the disk to measure; a temporary log is created there and
     *     removed
     */
    void run(Path directory) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench");
        try {
            var log = write(home.resolve("tmux.log"));
            jump(log, "at the end", "CUDA out of memory");
            jump(log, "2 letters", "zq");
            jump(log, "every line", "loss");
        } finally {
            BenchReport.delete(home);
        }
    }

    private static Path write(Path log) throws IOException {
        try (var out = new BufferedOutputStream(Files.newOutputStream(log))) {
            long written = 0;
            for (int step = 0; written < BYTES; step++) {
                var line =
                        String.format(
                                        Locale.ROOT,
                                        "epoch %d step %d loss 0.%05d lr 3e-4 tokens/s %d%n",
                                        step / 100_000,
                                        step,
                                        step % 99_991,
                                        120_000 + step % 777)
                                .getBytes(StandardCharsets.UTF_8);
                out.write(line);
                written += line.length;
            }
            out.write("RuntimeError: CUDA out of memory. zq\n".getBytes(StandardCharsets.UTF_8));
        }
        return log;
    }

    /** Searches, and reads the lines around the last match. */
    private void jump(Path log, String what, String text) throws IOException {
        var millis = new double[RUNS];
        long total = 0;
        for (int run = 0; run < RUNS; run++) {
            long begin = System.nanoTime();
            var last = OptionalLong.of(Long.MAX_VALUE);
            var found = LogFileSearch.of(log, LogPart.OUTPUT, new LogSearch(text, 0, last, 1000));
            var offset = found.matches().getLast().offset();
            LogPages.before(log, LogPart.OUTPUT, offset);
            LogPages.from(log, LogPart.OUTPUT, offset);
            millis[run] = (System.nanoTime() - begin) / 1e6;
            total = found.total();
        }
        report.line(
                "search, " + what,
                "%s, %,d matching lines".formatted(Percentiles.of(millis), total));
    }
}
