package dev.berth.app.bench;

import dev.berth.core.plan.Passing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a long queue costs: a pass over it, filling it, keeping it, looking at it. */
final class PlanBench {

    private static final int FEW = 1000;
    private static final int BATCH = 1000;
    private static final int CARDS = 8;

    private final String launcher;
    private final Report report;

    PlanBench(String launcher, Report report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param place on the disk to be measured; a home is made there, and removed again
     */
    void run(Path place, int tasks) throws IOException {
        passes(tasks);
        var home = Files.createTempDirectory(place, "berth-bench");
        try (var server = BenchServer.start(launcher, home)) {
            var holders = hold(server);
            report.line("submit in batches", "%.0f/s".formatted(submit(server, tasks)));
            report.line("berth ls", report.calls(launcher, home).toString());
            report.idle(server);
            letGo(server, holders);
        } finally {
            Report.delete(home);
        }
    }

    /** A task on each card, so that everybody else waits. */
    private static List<Long> hold(BenchServer server) throws IOException {
        var holders = new ArrayList<Long>();
        try (var client = server.client()) {
            for (int card = 0; card < CARDS; card++) {
                holders.add(client.submit("exec sleep 3600", "auto", 1));
            }
        }
        return holders;
    }

    private static void letGo(BenchServer server, List<Long> holders) throws IOException {
        try (var client = server.client()) {
            for (long holder : holders) {
                client.cancel(holder);
            }
        }
    }

    private void passes(int tasks) {
        var bench = new PassBench();
        pass("pass, all cards held", bench.run(FEW, tasks, 0, new Passing.Off()));
        pass("pass, all held, greedy", bench.run(FEW, tasks, 0, new Passing.Greedy()));
        pass("pass, 10 cards free", bench.run(FEW, tasks, 10, new Passing.Off()));
    }

    private void pass(String what, PassBench.Result result) {
        report.line(
                what,
                "p50 %.2f ms, p99 %.2f ms; with 1,000 queued %.2f and %.2f ms: %.2f times; starts %d"
                        .formatted(
                                result.many().p(50),
                                result.many().p(99),
                                result.few().p(50),
                                result.few().p(99),
                                result.many().p(50) / result.few().p(50),
                                result.starts()));
    }

    /** Each batch is answered when it is durable. */
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
