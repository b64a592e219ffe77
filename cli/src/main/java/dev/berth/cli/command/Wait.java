package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.WireReader;
import dev.berth.wire.TaskDetail;

import java.util.List;

/** Waits until tasks have ended, and ends as they did. */
public final class Wait implements Command {

    @Override
    public Syntax syntax() {
        return new Syntax(
                "wait",
                "ID…",
                "Wait for tasks to end; exits with their exit code (130: cancelled)",
                List.of(Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        return EachTask.run(
                given,
                around,
                (id, link) -> {
                    Reply reply = Ending.await(id, link, around.time());
                    TaskDetail task = WireReader.detail(link.json(reply));
                    return new EachTask.Outcome(
                            reply, id + " " + Ending.words(task), Ending.exitStatus(task));
                });
    }
}
