package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Clean;
import dev.berth.wire.TaskDetail;

import java.util.List;

/** Ends tasks. It is done when the server has taken it down; the processes end in their time. */
public final class Cancel implements Command {

    private static final Option WAIT = Option.flag("--wait", "return when they have ended");

    @Override
    public Syntax syntax() {
        return new Syntax(
                "cancel", "ID…", "End tasks, or never start them", List.of(WAIT, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        return EachTask.run(
                given,
                around,
                (id, link) -> {
                    Reply reply = link.ask(Request.post("/api/tasks/" + id + "/cancel", ""));
                    if (given.has(WAIT)) {
                        reply = Ending.await(id, link, around.time());
                    }
                    TaskDetail task = WireReader.detail(link.json(reply));
                    String state = Ending.isFinal(task.status()) ? task.status() : task.phase();
                    return new EachTask.Outcome(reply, id + " " + Clean.line(state), 0);
                });
    }
}
