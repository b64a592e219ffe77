package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Changes tasks that have not started: what is given, and nothing else. */
public final class Edit implements Command {

    @Override
    public Syntax syntax() {
        List<Option> options = new ArrayList<>(TaskOptions.CHANGES);
        options.add(Option.JSON);
        return new Syntax(
                "edit",
                "ID… [-- COMMAND…]",
                "Change tasks that have not started; `none` takes a value back",
                options);
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        List<Long> ids = TaskIds.of(given.beforeMark());
        Options nothing = Options.parse(syntax(), List.of());
        Map<String, @Nullable Object> changes = new TaskOptions(given, nothing, around).changes();
        if (given.marked()) {
            changes.put("command", Script.ofCommand(given.afterMark()).text());
        }
        if (changes.isEmpty()) {
            throw new UsageError("what is to be changed? Say it as for `berth submit`");
        }
        String body = JsonText.of(changes);
        return EachTask.run(
                ids,
                given,
                around,
                (id, link) -> {
                    Reply reply = link.ask(Request.patch("/api/tasks/" + id, body));
                    return new EachTask.Outcome(reply, id + " changed", 0);
                });
    }
}
