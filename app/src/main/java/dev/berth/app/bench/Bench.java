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
            Option.valued("--tasks", "N", "how many trivial tasks to run through (1000)");

    private static final Option IN =
            Option.valued(
                    "--in", "DIR", "measure the disk that this is on (the temporary directory)");

    private static final String TEMPORARY = System.getProperty("java.io.tmpdir");

    @Override
    public Syntax syntax() {
        return new Syntax("bench", "start", "Measure this machine's Berth", List.of(TASKS, IN));
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException, InterruptedException {
        if (!given.arguments().equals(List.of("start"))) {
            throw new UsageError("bench takes one of: start");
        }
        var launcher = System.getProperty("berth.launcher");
        if (launcher == null) {
            throw new Refused("bench works through the launcher: run ./berth bench start");
        }
        var place = given.value(IN);
        new StartBench(launcher, around.out())
                .run(
                        around.cwd().resolve(place == null ? TEMPORARY : place),
                        tasks(given.value(TASKS)));
        return 0;
    }

    private static int tasks(@Nullable String text) {
        try {
            int tasks = Integer.parseInt(text == null ? "1000" : text);
            if (tasks > 0) {
                return tasks;
            }
        } catch (NumberFormatException _) {
            // Said below, as for a number too small.
        }
        throw new UsageError("--tasks is a number of 1 or more, not " + text);
    }
}
