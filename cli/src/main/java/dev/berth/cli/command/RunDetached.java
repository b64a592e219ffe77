package dev.berth.cli.command;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The same command once more, in the background, whose output tells when its run has started. */
final class RunDetached {

    /** A server may have to be started for it. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Pattern STARTED = Pattern.compile("(?m)^run (\\d+) started: .*$");

    private final Hosting hosting;
    private final Options given;
    private final Surroundings around;

    RunDetached(Hosting hosting, Options given, Surroundings around) {
        this.hosting = hosting;
        this.given = given;
        this.around = around;
    }

    /** What {@link #run} looks for in the output of the other. */
    static String startedLine(RunState run) {
        int lanes = run.queues().size();
        return "run "
                + run.pid()
                + " started: "
                + Clean.line(run.commandFile())
                + ", "
                + run.total()
                + (run.total() == 1 ? " task in " : " tasks in ")
                + lanes
                + (lanes == 1 ? " lane" : " lanes");
    }

    int run(@Nullable CommandFile file) throws IOException, InterruptedException {
        Hosting.Background background = hosting.launch(words(file), name(), given, around);
        String started = awaitStart(background);
        String output = Clean.line(background.output().toString());
        if (given.has(Option.JSON)) {
            Map<String, @Nullable Object> told = new LinkedHashMap<>();
            told.put("pid", Long.parseLong(started));
            told.put("output", background.output().toString());
            around.out().println(JsonText.of(told));
            return 0;
        }
        around.out().println("run " + started + " started in the background");
        around.out().println("  to follow it: tail -f " + output);
        around.out().println("  to stop it:   " + Farewell.stop(Long.parseLong(started), given));
        return 0;
    }

    private List<String> words(@Nullable CommandFile file) {
        List<String> words = new ArrayList<>();
        words.add("run");
        String home = given.value(Option.HOME);
        if (home != null) {
            words.addAll(List.of(Option.HOME.name(), around.cwd().resolve(home).toString()));
        }
        for (Option option : List.of(Run.MODE, Run.PRIORITY)) {
            String value = given.value(option);
            if (value != null) {
                words.addAll(List.of(option.name(), value));
            }
        }
        if (given.has(Run.KEEP_SERVER)) {
            words.add(Run.KEEP_SERVER.name());
        }
        if (file != null) {
            words.addAll(List.of("--", file.path().toString()));
        }
        return words;
    }

    private String name() {
        Instant now = around.time().now();
        ZoneOffset offset = around.time().zone().getRules().getOffset(now);
        String shown = Moment.shown(now.getEpochSecond(), offset);
        return "run-" + shown.replace("-", "").replace(":", "").replace(' ', '-') + ".log";
    }

    private String awaitStart(Hosting.Background background)
            throws IOException, InterruptedException {
        Instant end = around.time().now().plus(PATIENCE);
        while (around.time().now().isBefore(end)) {
            // Asked before reading: what it said before its end is then sure to be read.
            boolean isAlive = background.isAlive();
            String said = said(background.output());
            Matcher started = STARTED.matcher(said);
            if (started.find()) {
                return started.group(1);
            }
            if (!isAlive) {
                throw new Refused("it did not start; it said:\n" + lines(said));
            }
            around.time().pause(PAUSE);
        }
        throw new Refused(
                "it has not started after "
                        + PATIENCE.toSeconds()
                        + " s; see "
                        + Clean.line(background.output().toString()));
    }

    private static String said(Path output) throws IOException {
        return Files.exists(output) ? Files.readString(output) : "";
    }

    private static String lines(String said) {
        List<String> clean = new ArrayList<>();
        for (String line : said.strip().split("\n")) {
            clean.add(Clean.line(line));
        }
        return String.join("\n", clean);
    }
}
