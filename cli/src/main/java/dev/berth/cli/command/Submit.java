package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.wire.TaskDetail;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Hands in a task and prints its id. */
public final class Submit implements Command {

    private static final Option WAIT =
            Option.flag("--wait", "return when it has ended, with its exit code");

    @Override
    public Syntax syntax() {
        List<Option> options = new ArrayList<>(TaskOptions.ALL);
        options.add(WAIT);
        options.add(Option.JSON);
        return new Syntax(
                "submit",
                "-- COMMAND… | SCRIPT | -",
                "Submit a command, or a script that may hold #BERTH option lines; prints the id",
                options);
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        Script script = script(given, around);
        TaskOptions options = new TaskOptions(given, script.options(), around);
        if (options.isDraft() && given.has(WAIT)) {
            throw new UsageError("--wait would not return: a draft starts only when you say so");
        }
        Map<String, @Nullable Object> task = options.fields(script);
        try (Link link = Link.open(given, around)) {
            Request request =
                    Request.post("/api/tasks", JsonText.of(task))
                            .with(IdempotencyKey.HEADER, IdempotencyKey.fresh());
            Reply reply = link.askThrough(IdempotencyKey.OUTAGE, request);
            long id = WireReader.detail(link.json(reply)).id();
            boolean json = given.has(Option.JSON);
            if (!json) {
                around.out().println(id);
                around.out().flush();
            }
            int status = 0;
            if (given.has(WAIT)) {
                reply = Ending.await(id, link, around.time());
                TaskDetail ended = WireReader.detail(link.json(reply));
                status = Ending.exitStatus(ended);
                if (status != 0) {
                    around.note("task " + id + " " + Ending.words(ended));
                }
            }
            if (json) {
                around.out().println(reply.body().strip());
            }
            return status;
        }
    }

    private static Script script(Options given, Surroundings around) {
        List<String> files = given.beforeMark();
        if (given.marked()) {
            if (!files.isEmpty()) {
                throw new UsageError(
                        "either a script or a command after --, not both: '"
                                + files.getFirst()
                                + "'");
            }
            return Script.ofCommand(given.afterMark());
        }
        if (files.size() != 1) {
            throw new UsageError(
                    files.isEmpty()
                            ? "what is to be run? Put it after --"
                            : "put -- before a command of several words");
        }
        return Script.ofFile(files.getFirst(), around);
    }
}
