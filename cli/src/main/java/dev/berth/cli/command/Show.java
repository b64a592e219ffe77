package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.WireReader;

import java.util.List;

/** Everything about some tasks. */
public final class Show implements Command {

    @Override
    public Syntax syntax() {
        return new Syntax("show", "ID…", "Show everything about tasks", List.of(Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        return EachTask.run(
                given,
                around,
                (id, link) -> {
                    Reply reply = link.get("/api/tasks/" + id);
                    TaskCard card = new TaskCard(WireReader.detail(link.json(reply)), around);
                    return new EachTask.Outcome(reply, card.text(), 0);
                });
    }
}
