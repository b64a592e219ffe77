package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.RunReader;
import dev.berth.cli.text.Clean;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** The command files that run, lane by lane; or the end of one. */
public final class Runs implements Command {

    private static final Option ALL =
            Option.flag("--all", "also the last that ended, of each file").or("-a");
    private static final Option KEEP_RUNNING =
            Option.flag("--keep-running", "with stop: what runs goes on, nothing more starts");

    /** Every lane, however many. */
    private static final int ALL_LANES = Integer.MAX_VALUE;

    @Override
    public Syntax syntax() {
        return new Syntax(
                "runs",
                "[stop PID]",
                "Show the command files that run, lane by lane; or stop one",
                List.of(ALL, KEEP_RUNNING, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        List<String> words = given.arguments();
        if (!words.isEmpty()) {
            return stop(words, given, around);
        }
        if (given.has(KEEP_RUNNING)) {
            throw new UsageError("--keep-running goes with stop");
        }
        try (Link link = Link.open(given, around)) {
            List<@Nullable Object> runs = new ArrayList<>();
            if (given.has(ALL)) {
                runs.addAll(list(link, "/api/scheduler/single/state"));
                runs.addAll(list(link, "/api/scheduler/multi/state"));
                runs.sort((one, other) -> Long.compare(pid(one), pid(other)));
            } else {
                runs.addAll(list(link, "/api/scheduler/running"));
            }
            if (given.has(Option.JSON)) {
                around.out().println(JsonText.of(runs));
            } else if (runs.isEmpty()) {
                around.out().println("Nothing runs from a command file. Start one: berth run FILE");
            }
            for (Object run : given.has(Option.JSON) ? List.<Object>of() : runs) {
                print(RunReader.run(run), around);
            }
            return 0;
        }
    }

    private static List<?> list(Link link, String target) {
        if (link.json(link.get(target)) instanceof List<?> runs) {
            return runs;
        }
        throw new Refused("the server sent no list of runs");
    }

    private static long pid(@Nullable Object run) {
        return RunReader.run(run).pid();
    }

    private static void print(RunState run, Surroundings around) {
        RunText text = new RunText(run, around.time().now().getEpochSecond());
        around.out().println(text.headline(around.colours()));
        if (!text.reason().isEmpty()) {
            around.out().println(text.reason());
        }
        for (String lane : text.lanes(ALL_LANES, around.width(), around.colours())) {
            around.out().println(lane);
        }
    }

    private static int stop(List<String> words, Options given, Surroundings around) {
        if (!words.getFirst().equals("stop") || words.size() != 2) {
            throw new UsageError("runs takes nothing, or: stop PID");
        }
        if (given.has(ALL)) {
            throw new UsageError("--all goes without stop");
        }
        String pid = words.getLast();
        if (!pid.matches("[1-9][0-9]{0,17}")) {
            throw new UsageError(
                    "'"
                            + Clean.line(pid)
                            + "' is not a run: they are numbers from 1 up, as `berth runs` shows");
        }
        String query = given.has(KEEP_RUNNING) ? "?keep_running=true" : "";
        try (Link link = Link.open(given, around)) {
            Reply reply = link.ask(Request.post("/api/scheduler/stop/" + pid + query, ""));
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
            } else {
                RunState run = RunReader.run(link.json(reply));
                around.out()
                        .println(
                                "run "
                                        + run.pid()
                                        + " "
                                        + Clean.line(run.status())
                                        + ": "
                                        + RunText.counts(run));
            }
            return 0;
        }
    }
}
