package dev.berth.app.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How long calls of the command line take, from the start of the launcher to its end. */
final class CliBench {

    private final String launcher;
    private final BenchReport report;

    CliBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param directory gets a new home
     */
    void run(Path directory) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench-");
        try (var _ = BenchServer.start(launcher, home)) {
            // The launcher and an almost empty JVM: what every call takes.
            measure(home, List.of("--version"));
            measure(home, List.of("submit", "--", "true"));
            measure(home, List.of("ls"));
            measure(home, List.of("show", "1"));
            measure(home, List.of("wait", "1"));
        } finally {
            BenchReport.delete(home);
        }
    }

    private void measure(Path home, List<String> words) throws IOException {
        var name = "berth " + words.getFirst();
        report.line(name, report.measureCalls(launcher, home, words).toString());
    }
}
