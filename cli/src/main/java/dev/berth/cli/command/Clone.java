package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;

import java.util.List;

/** Submits tasks again, as they were. */
public final class Clone implements Command {

    @Override
    public Syntax syntax() {
        return new Syntax(
                "clone", "ID…", "Submit tasks again and print the new ids", List.of(Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        return EachTask.run(
                given,
                around,
                (id, link) -> {
                    Request request =
                            Request.post("/api/tasks/" + id + "/clone", "")
                                    .with(IdempotencyKey.HEADER, IdempotencyKey.fresh());
                    Reply reply = link.askThrough(IdempotencyKey.OUTAGE, request);
                    long fresh = WireReader.detail(link.json(reply)).id();
                    return new EachTask.Outcome(reply, Long.toString(fresh), 0);
                });
    }
}
