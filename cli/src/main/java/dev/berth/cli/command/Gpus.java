package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Link;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;
import dev.berth.cli.link.WireReader;
import dev.berth.cli.text.Clean;
import dev.berth.wire.GpuInfo;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The cards, one in a line: how warm, how busy, how full, and who is on it. Or one of them is taken
 * out of use, or handed back.
 */
public final class Gpus implements Command {

    private static final Option REASON =
            Option.valued("--reason", "TEXT", "with quarantine: why, for the others to read");
    private static final Option FORCE =
            Option.flag("--force", "with recover: without testing it first");

    private static final String QUARANTINE = "quarantine";
    private static final String RECOVER = "recover";

    @Override
    public Syntax syntax() {
        return new Syntax(
                "gpus",
                "[quarantine ID | recover ID]",
                "Show the GPUs and who is on them; take one out, hand it back",
                List.of(REASON, FORCE, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        List<String> words = given.arguments();
        String verb = words.isEmpty() ? "" : words.getFirst();
        if (!verb.isEmpty() && !List.of(QUARANTINE, RECOVER).contains(verb)) {
            throw new UsageError(
                    "no '" + Clean.line(verb) + "' here: quarantine ID, recover ID, or nothing");
        }
        if (given.has(REASON) && !verb.equals(QUARANTINE)) {
            throw new UsageError("--reason goes with quarantine");
        }
        if (given.has(FORCE) && !verb.equals(RECOVER)) {
            throw new UsageError("--force goes with recover");
        }
        try (Link link = Link.open(given, around)) {
            return verb.isEmpty()
                    ? show(link.get("/api/gpus?processes=true"), link, given, around)
                    : turn(verb, index(words), link, given, around);
        }
    }

    private static String index(List<String> words) {
        if (words.size() != 2 || !words.getLast().matches("[0-9]{1,4}")) {
            throw new UsageError("say which GPU by its number, like: berth gpus recover 0");
        }
        return words.getLast();
    }

    private static int show(Reply reply, Link link, Options given, Surroundings around) {
        if (given.has(Option.JSON)) {
            around.out().println(reply.body().strip());
            return 0;
        }
        if (!(link.json(reply) instanceof List<?> all)) {
            throw new Refused("the server sent no list of GPUs");
        }
        List<GpuInfo> gpus = new ArrayList<>();
        for (Object one : all) {
            gpus.add(WireReader.gpu(one));
        }
        if (gpus.isEmpty()) {
            around.out().println("No GPU has ever been seen here. `berth health` may say why.");
        } else {
            long now = around.time().now().getEpochSecond();
            around.out().print(new GpuTable(gpus, now).render(around.width(), around.colours()));
        }
        return 0;
    }

    private static int turn(
            String verb, String index, Link link, Options given, Surroundings around) {
        Reply reply = link.ask(Request.post("/api/gpus/" + index + "/" + verb, body(verb, given)));
        if (given.has(Option.JSON)) {
            around.out().println(reply.body().strip());
            return 0;
        }
        GpuInfo.Fault fault = WireReader.gpu(link.json(reply)).fault();
        around.out().println("GPU " + index + " " + outcome(fault));
        return 0;
    }

    private static String body(String verb, Options given) {
        if (verb.equals(RECOVER)) {
            return JsonText.of(Map.of("force", given.has(FORCE)));
        }
        String reason = given.value(REASON);
        if (reason == null) {
            throw new UsageError("say why, for the others to read: --reason TEXT");
        }
        return JsonText.of(Map.of("reason", reason));
    }

    private static String outcome(GpuInfo.@Nullable Fault fault) {
        if (fault == null) {
            return "is used again";
        }
        return fault.stage().equals("testing")
                ? "is being tested and comes back if it passes: `berth gpus` shows it"
                : "is out of use: nothing new starts there, what runs there finishes";
    }
}
