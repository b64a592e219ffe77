package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Homes;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Place;
import dev.berth.cli.link.QueueReader;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.RunReader;
import dev.berth.cli.text.Clean;
import dev.berth.wire.FileProblem;
import dev.berth.wire.Queue;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs a command file and stays until it is done, with a server of its own if there is none. */
public final class Run implements Command {

    static final Option MODE =
            Option.valued("--mode", "M", "single or multi: one card a task, or several");
    static final Option PRIORITY =
            Option.valued("--priority", "P", "of its tasks: CRITICAL, HIGH, NORMAL or LOW")
                    .or("-p");
    static final Option DETACH =
            Option.flag("--detach", "in the background; it survives this terminal");
    static final Option KEEP_SERVER =
            Option.flag("--keep-server", "leave the server up that was started for it");

    private final Hosting hosting;

    public Run(Hosting hosting) {
        this.hosting = hosting;
    }

    @Override
    public Syntax syntax() {
        return new Syntax(
                "run",
                "[FILE]",
                "Run a command file and stay until it is done; exits 0 if all of it completed",
                List.of(MODE, PRIORITY, DETACH, KEEP_SERVER, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException, InterruptedException {
        if (given.arguments().size() > 1) {
            throw new UsageError("one command file at a time");
        }
        String mode = given.value(MODE);
        if (mode != null && !mode.equals("single") && !mode.equals("multi")) {
            throw new UsageError("--mode is single or multi, not '" + Clean.line(mode) + "'");
        }
        CommandFile file =
                given.arguments().isEmpty()
                        ? null
                        : CommandFile.read(given.arguments().getFirst(), around);
        if (given.has(DETACH)) {
            return new RunDetached(hosting, given, around).run(file);
        }
        try (Link up = Link.openIfUp(given, around)) {
            if (up != null) {
                return follow(start(file, up, given, around), up, given, around, false);
            }
        }
        if (Homes.places(given.value(Option.HOME), around).getFirst() instanceof Place.Socket) {
            // Whoever names a socket means that server; which home it would have, nobody knows.
            throw Link.nobodyUp(given, around);
        }
        return hosted(file, given, around);
    }

    /** With a server of its own, which does not outlive it by mistake. */
    private int hosted(@Nullable CommandFile file, Options given, Surroundings around)
            throws IOException, InterruptedException {
        hosting.start(given, around);
        RunState started = null;
        int status;
        try (Link link = Link.open(given, around)) {
            started = start(file, link, given, around);
            status = follow(started, link, given, around, true);
        } catch (InterruptedException interrupted) {
            if (started == null) {
                leaveAfter(null, given, around);
            } else {
                Farewell.say(started, given, around, true);
            }
            throw interrupted;
        } catch (IOException | RuntimeException failed) {
            leaveAfter(started, given, around);
            throw failed;
        }
        leave(null, given, around);
        return status;
    }

    private static RunState start(
            @Nullable CommandFile file, Link link, Options given, Surroundings around) {
        Reply reply = link.askAnyway(request(file, given));
        // A refusal by something other than Berth need not be JSON.
        Object json = reply.isRefusal() && !reply.body().startsWith("{") ? null : link.json(reply);
        RunState run = RunReader.run(json);
        String shown = file == null ? Clean.line(run.commandFile()) : file.shown();
        for (FileProblem problem : RunReader.problems(json)) {
            around.err()
                    .println(shown + ":" + problem.line() + ": " + Clean.line(problem.detail()));
        }
        around.err().flush();
        if (reply.isRefusal()) {
            throw new Refused(Link.explanation(reply));
        }
        return run;
    }

    private static Request request(@Nullable CommandFile file, Options given) {
        String mode = given.value(MODE);
        String priority = given.value(PRIORITY);
        String query =
                priority == null
                        ? ""
                        : "priority="
                                + URLEncoder.encode(
                                        priority.toUpperCase(Locale.ROOT), StandardCharsets.UTF_8);
        if (file == null) {
            return Request.post(
                    "/api/scheduler/"
                            + (mode == null ? "single" : mode)
                            + "/start?config_index=0"
                            + (query.isEmpty() ? "" : "&" + query),
                    "");
        }
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("content", file.content());
        body.put("command_file", file.path().toString());
        return Request.post(
                "/api/scheduler/"
                        + (mode == null ? file.mode() : mode)
                        + "/start"
                        + (query.isEmpty() ? "" : "?" + query),
                JsonText.of(body));
    }

    private static int follow(
            RunState started, Link link, Options given, Surroundings around, boolean isHosted)
            throws IOException, InterruptedException {
        boolean json = given.has(Option.JSON);
        boolean screen = around.terminal() && !around.env().getOrDefault("TERM", "").equals("dumb");
        if (!json && !screen) {
            around.out().println(RunDetached.startedLine(started));
            around.out().flush();
        }
        RunView view = _ -> {};
        if (!json) {
            view = screen ? new RunScreen(around) : new RunLines(around);
        }
        Object ended;
        try (Farewell _ = Farewell.of(started, given, around, isHosted)) {
            ended = new RunWatch(link, around).untilOver(started, view);
        }
        if (json) {
            around.out().println(JsonText.of(ended));
        }
        return RunOutcome.tell(RunReader.run(ended), json, around);
    }

    /** What went wrong before is what is told in the end. */
    private void leaveAfter(@Nullable RunState started, Options given, Surroundings around)
            throws InterruptedException {
        try {
            leave(started, given, around);
        } catch (IOException | RuntimeException more) {
            around.note(
                    "the server that was started for it may still be up ("
                            + Clean.line(String.valueOf(more.getMessage()))
                            + "); `"
                            + Farewell.stopServer(given)
                            + "` ends it");
        }
    }

    /**
     * Ends the server that was started for this, unless somebody else makes use of it by now.
     *
     * @param left the run where it may go on, whose tasks are nobody else's
     */
    private void leave(@Nullable RunState left, Options given, Surroundings around)
            throws IOException, InterruptedException {
        if (given.has(KEEP_SERVER)) {
            return;
        }
        Queue queue = queue(given, around);
        if (queue != null && queue.queued() + queue.running() > unfinished(left, given, around)) {
            around.note(
                    "the server stays up, for others have work in it ("
                            + queue.queued()
                            + " queued, "
                            + queue.running()
                            + " running); `"
                            + Farewell.stopServer(given)
                            + "` ends it");
            return;
        }
        hosting.stop(given, around);
        if (left != null) {
            around.note(
                    "the server that was started for run "
                            + left.pid()
                            + " was ended; what is left of the run goes on when a server is"
                            + " started");
        }
    }

    /** Null where nobody can tell. */
    private static @Nullable Queue queue(Options given, Surroundings around) {
        try (Link link = Link.open(given, around)) {
            return QueueReader.queue(link.json(link.get("/api/queue?limit=1")));
        } catch (Refused unknown) {
            return null;
        }
    }

    private static int unfinished(@Nullable RunState left, Options given, Surroundings around) {
        if (left == null) {
            return 0;
        }
        try (Link link = Link.open(given, around)) {
            RunState now = RunReader.run(link.json(link.get("/api/scheduler/run/" + left.pid())));
            return now.pending() + now.running();
        } catch (Refused unknown) {
            return left.total();
        }
    }
}
