package dev.berth.app.bench;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/** {@code berth bench NAME}. */
public final class Bench implements Command {

    private static final Option TASKS =
            Option.valued(
                    "--tasks", "N", "how many tasks: to run through (1000), to queue (100000)");

    private static final Option IN =
            Option.valued(
                    "--in", "DIR", "measure the disk that this is on (the temporary directory)");

    private static final String TEMPORARY = System.getProperty("java.io.tmpdir");

    @Override
    public Syntax syntax() {
        return new Syntax(
                "bench", "start|plan|history", "Measure this machine's Berth", List.of(TASKS, IN));
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException, InterruptedException {
        var launcher = System.getProperty("berth.launcher");
        if (launcher == null) {
            throw new Refused("bench works through the launcher: run ./berth bench start");
        }
        var named = given.value(IN);
        var place = around.cwd().resolve(named == null ? TEMPORARY : named);
        var report = new Report(around.out());
        switch (String.join(" ", given.arguments())) {
            case "start" ->
                    new StartBench(launcher, report).run(place, tasks(given.value(TASKS), 1000));
            case "plan" ->
                    new PlanBench(launcher, report).run(place, tasks(given.value(TASKS), 100_000));
            case "history" -> new HistoryBench(report).run(place);
            default -> throw new UsageError("bench takes one of: start, plan, history");
        }
        return 0;
    }

    private static int tasks(@Nullable String text, int usual) {
        try {
            int tasks = text == null ? usual : Integer.parseInt(text);
            if (tasks > 0) {
                return tasks;
            }
        } catch (NumberFormatException _) {
            // Said below, as for a number too small.
        }
        throw new UsageError("--tasks is a number of 1 or more, not " + text);
    }
}
