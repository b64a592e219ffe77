package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.QueueReader;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;

import java.util.List;
import java.util.OptionalLong;

/** Lets tasks start, or holds them all back; what runs goes on either way. */
public final class Scheduler implements Command {

    private static final String PATH = "/api/scheduler";

    @Override
    public Syntax syntax() {
        return new Syntax(
                "scheduler",
                "start | stop | status",
                "Let tasks start, hold them back, or say which it is",
                List.of(Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        List<String> words = given.arguments();
        String verb = words.size() == 1 ? words.getFirst() : "";
        if (!List.of("start", "stop", "status").contains(verb)) {
            throw new UsageError(
                    verb.isEmpty()
                            ? "say what to do: start, stop or status"
                            : "no '" + Clean.line(verb) + "' here: start, stop or status");
        }
        try (Link link = Link.open(given, around)) {
            Reply reply =
                    verb.equals("status")
                            ? link.get(PATH)
                            : link.ask(Request.post(PATH + "/" + verb, ""));
            if (given.has(Option.JSON)) {
                around.out().println(reply.body().strip());
            } else {
                dev.berth.wire.Scheduler now = QueueReader.scheduler(link.json(reply));
                around.out().println(verb.equals("status") ? told(now, around) : done(now));
            }
            return 0;
        }
    }

    private static String done(dev.berth.wire.Scheduler now) {
        if (!now.changed()) {
            return "already " + state(now);
        }
        return now.running() ? "started" : "stopped: nothing new starts, what runs goes on";
    }

    private static String state(dev.berth.wire.Scheduler now) {
        return now.running() ? "running" : "stopped";
    }

    /** Where nobody ever touched it there is nothing more to tell. */
    private static String told(dev.berth.wire.Scheduler now, Surroundings around) {
        OptionalLong then = Moment.epochSecond(now.since());
        if (then.isEmpty()) {
            return state(now);
        }
        String by = now.by();
        long age = around.time().now().getEpochSecond() - then.getAsLong();
        return (now.running() ? "running, started " : "stopped ")
                + Age.brief(age)
                + " ago"
                + (by == null ? "" : " by " + Clean.line(by));
    }
}
