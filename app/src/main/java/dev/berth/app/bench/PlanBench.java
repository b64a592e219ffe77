package dev.berth.app.bench;

import dev.berth.core.plan.Backfill;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Measures a long queue: a scheduling pass, submission, memory, and listing. */
final class PlanBench {

    private static final int SHORT_QUEUE = 1000;
    private static final int BATCH = 1000;
    private static final int GPUS = 8;

    private final String launcher;
    private final BenchReport report;

    PlanBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param directory a directory on the disk to measure; a temporary home is created there and
     *     removed
     */
    void run(Path directory, int tasks) throws IOException {
        passes(tasks);
        var home = Files.createTempDirectory(directory, "berth-bench");
        try (var server = BenchServer.start(launcher, home)) {
            var holders = occupyGpus(server);
            report.line("submit in batches", "%.0f/s".formatted(submit(server, tasks)));
            report.line("berth ls", report.measureCalls(launcher, home).toString());
            listAll(home);
            report.measureIdle(server);
            try (var client = server.client()) {
                client.endAll(holders);
            }
        } finally {
            BenchReport.delete(home);
        }
    }

    private void listAll(Path home) throws IOException {
        var command =
                List.of("/usr/bin/env", "bash", launcher, "ls", "--all", "--home", home.toString());
        var output = home.resolve("ls-all.out");
        var done = TimedCommand.run(command, output);
        try (var lines = Files.lines(output)) {
            report.line(
                    "berth ls --all",
                    "%.1f s for %,d lines, at most %d MiB"
                            .formatted(done.seconds(), lines.count(), done.peakMib()));
        }
    }

    /** One task on each GPU, so that all other tasks wait. */
    private static List<Long> occupyGpus(BenchServer server) throws IOException {
        var holders = new ArrayList<Long>();
        try (var client = server.client()) {
            for (int gpu = 0; gpu < GPUS; gpu++) {
                holders.add(client.submit("exec sleep 3600", "auto", 1));
            }
        }
        return holders;
    }

    private void passes(int tasks) {
        var bench = new PassBench();
        pass("pass, all GPUs held", bench.run(SHORT_QUEUE, tasks, 0, new Backfill.Off()));
        pass("pass, all held, greedy", bench.run(SHORT_QUEUE, tasks, 0, new Backfill.Greedy()));
        pass("pass, 10 GPUs free", bench.run(SHORT_QUEUE, tasks, 10, new Backfill.Off()));
        pass("pass, all held, safe", bench.run(SHORT_QUEUE, tasks, 0, new Backfill.Safe()));
        pass("pass, 10 free, safe", bench.run(SHORT_QUEUE, tasks, 10, new Backfill.Safe()));
        pass("pass, all held, limits", bench.runWithLimits(SHORT_QUEUE, tasks, 0));
        pass("pass, 10 free, limits", bench.runWithLimits(SHORT_QUEUE, tasks, 10));
    }

    private void pass(String what, PassBench.PassTimes result) {
        report.line(
                what,
                "p50 %.2f ms, p99 %.2f ms; with 1,000 queued %.2f and %.2f ms: %.2f times; starts %d"
                        .formatted(
                                result.longQueue().p(50),
                                result.longQueue().p(99),
                                result.shortQueue().p(50),
                                result.shortQueue().p(99),
                                result.longQueue().p(50) / result.shortQueue().p(50),
                                result.starts()));
    }

    /** The reply to each batch comes after its commit. */
    private static double submit(BenchServer server, int tasks) throws IOException {
        long begin = System.nanoTime();
        try (var client = server.client()) {
            for (int sent = 0; sent < tasks; sent += BATCH) {
                client.submitAll(sent, Math.min(BATCH, tasks - sent));
            }
        }
        return tasks / ((System.nanoTime() - begin) / 1e9);
    }
}
