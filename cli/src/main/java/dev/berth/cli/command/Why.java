package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.PlacementReader;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.WireReader;
import dev.berth.wire.TaskDetail;

import java.util.List;

/** Why a task waits, and what each card has to do with it. */
public final class Why implements Command {

    private static final Option SCORES =
            Option.flag("--scores", "also how each rule would score each card, part by part");

    @Override
    public Syntax syntax() {
        return new Syntax(
                "why",
                "ID…",
                "Say why a task waits and what each card has to do with it",
                List.of(SCORES, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        return EachTask.run(
                given,
                around,
                (id, link) -> {
                    TaskDetail task = WireReader.detail(link.json(link.get("/api/tasks/" + id)));
                    Reply reply = link.get("/api/tasks/" + id + "/placement");
                    PlacementText text =
                            new PlacementText(
                                    task, PlacementReader.placement(link.json(reply)), around);
                    return new EachTask.Outcome(reply, text.text(given.has(SCORES)), 0);
                });
    }
}
