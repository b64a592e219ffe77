package dev.berth.app.bench;

import dev.berth.cli.call.CommandFailure;
import dev.berth.node.log.LogFileSearch;
import dev.berth.node.log.LogPages;
import dev.berth.port.read.LogFiles.LogSearch;
import dev.berth.port.read.TaskLogs.LogPart;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Measures the search in a log of 200 MB, the way from a match to the lines around it, and {@code
 * berth logs} of the whole log into a file.
 */
final class LogBench {

    private static final long BYTES = 200_000_000;
    private static final int RUNS = 10;
    private static final int COPIES = 5;

    private final String launcher;
    private final BenchReport report;

    LogBench(String launcher, BenchReport report) {
        this.launcher = launcher;
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
            copy(home, log);
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

    /** The log of a task that prints the file, beside {@code cat} of the same file. */
    private void copy(Path directory, Path log) throws IOException {
        var home = Files.createTempDirectory(directory, "home");
        try (var server = BenchServer.start(launcher, home);
                var client = server.client()) {
            long task = client.submit("cat '" + log + "'", "cpu", 0);
            client.await(task);
            var output = directory.resolve("output");
            var logs =
                    List.of(
                            "/usr/bin/env",
                            "bash",
                            launcher,
                            "logs",
                            "--home",
                            home.toString(),
                            Long.toString(task));
            // The first one warms up the server.
            TimedCommand.run(logs, output);
            if (Files.mismatch(log, output) >= 0) {
                throw new CommandFailure("berth logs did not print the log unchanged");
            }
            copies("berth logs", logs, output);
            copies("cat", List.of("/usr/bin/env", "cat", log.toString()), output);
            report.line("server", server.residentMib() + " MiB resident");
        }
    }

    private void copies(String what, List<String> command, Path output) throws IOException {
        var rates = new double[COPIES];
        long peakMib = 0;
        for (int run = 0; run < COPIES; run++) {
            var done = TimedCommand.run(command, output);
            rates[run] = Files.size(output) / 1e6 / done.seconds();
            peakMib = Math.max(peakMib, done.peakMib());
        }
        Arrays.sort(rates);
        report.line(
                what + " of 200 MB",
                "%.0f MB/s (%.0f to %.0f), at most %d MiB"
                        .formatted(rates[COPIES / 2], rates[0], rates[COPIES - 1], peakMib));
    }
}
