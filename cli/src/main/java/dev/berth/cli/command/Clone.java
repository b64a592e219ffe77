package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Submits tasks again, as they were but for what is given. */
public final class Clone implements Command {

    @Override
    public Syntax syntax() {
        List<Option> options = new ArrayList<>(TaskOptions.AGAIN);
        options.add(Option.JSON);
        return new Syntax("clone", "ID…", "Submit tasks again and print the new ids", options);
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        Options nothing = Options.parse(syntax(), List.of());
        Map<String, @Nullable Object> changes = new TaskOptions(given, nothing, around).changes();
        String body = changes.isEmpty() ? "" : JsonText.of(changes);
        return EachTask.run(
                given,
                around,
                (id, link) -> {
                    Request request =
                            Request.post("/api/tasks/" + id + "/clone", body)
                                    .with(IdempotencyKey.HEADER, IdempotencyKey.fresh());
                    Reply reply = link.askThrough(IdempotencyKey.OUTAGE, request);
                    long fresh = WireReader.detail(link.json(reply)).id();
                    return new EachTask.Outcome(reply, Long.toString(fresh), 0);
                });
    }
}
