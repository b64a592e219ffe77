package dev.berth.cli.command.gpu;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.GpuInfo;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Lists the GPUs with temperature, load, memory and processes. Also quarantines a GPU or returns it
 * to use.
 */
public final class GpusCommand implements CliCommand {

    private static final CommandOption REASON =
            CommandOption.withValue(
                    "--reason", "TEXT", "with quarantine: reason, shown to other users");
    private static final CommandOption FORCE =
            CommandOption.flag("--force", "with recover: skip the test");

    private static final String QUARANTINE = "quarantine";
    private static final String RECOVER = "recover";

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "gpus",
                "[quarantine ID | recover ID]",
                "Show the GPUs and their users; quarantine or recover a GPU",
                List.of(REASON, FORCE, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        String verb = arguments.isEmpty() ? "" : arguments.getFirst();
        if (!verb.isEmpty() && !List.of(QUARANTINE, RECOVER).contains(verb)) {
            throw new UsageError(
                    "no '" + SafeText.line(verb) + "' here: quarantine ID, recover ID, or nothing");
        }
        if (options.has(REASON) && !verb.equals(QUARANTINE)) {
            throw new UsageError("--reason is for quarantine only");
        }
        if (options.has(FORCE) && !verb.equals(RECOVER)) {
            throw new UsageError("--force is for recover only");
        }
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            return verb.isEmpty()
                    ? show(connection.get("/api/gpus?processes=true"), connection, options, context)
                    : changeUse(verb, index(arguments), connection, options, context);
        }
    }

    private static String index(List<String> arguments) {
        if (arguments.size() != 2 || !arguments.getLast().matches("[0-9]{1,4}")) {
            throw new UsageError("give the number of the GPU, like: berth gpus recover 0");
        }
        return arguments.getLast();
    }

    private static int show(
            ApiReply reply,
            ServerConnection connection,
            ParsedOptions options,
            CallContext context) {
        if (options.has(CommandOption.JSON)) {
            context.out().println(reply.body().strip());
            return 0;
        }
        if (!(connection.json(reply) instanceof List<?> all)) {
            throw new CommandFailure("the server sent no list of GPUs");
        }
        List<GpuInfo> gpus = new ArrayList<>();
        for (Object gpu : all) {
            gpus.add(WireReader.gpuInfo(gpu));
        }
        if (gpus.isEmpty()) {
            context.out().println("No GPU was found on this machine. `berth health` may show why.");
        } else {
            long now = context.clock().now().getEpochSecond();
            context.out()
                    .print(new GpuTable(gpus, now).render(context.width(), context.usesColours()));
        }
        return 0;
    }

    private static int changeUse(
            String verb,
            String index,
            ServerConnection connection,
            ParsedOptions options,
            CallContext context) {
        ApiReply reply =
                connection.send(
                        ApiRequest.post("/api/gpus/" + index + "/" + verb, body(verb, options)));
        if (options.has(CommandOption.JSON)) {
            context.out().println(reply.body().strip());
            return 0;
        }
        GpuInfo.Fault fault = WireReader.gpuInfo(connection.json(reply)).fault();
        context.out().println("GPU " + index + " " + outcome(fault));
        return 0;
    }

    private static String body(String verb, ParsedOptions options) {
        if (verb.equals(RECOVER)) {
            return JsonWriter.write(Map.of("force", options.has(FORCE)));
        }
        String reason = options.value(REASON);
        if (reason == null) {
            throw new UsageError("give a reason for other users: --reason TEXT");
        }
        return JsonWriter.write(Map.of("reason", reason));
    }

    private static String outcome(GpuInfo.@Nullable Fault fault) {
        if (fault == null) {
            return "is used again";
        }
        return fault.stage().equals("testing")
                ? "is being tested and is used again if it passes: `berth gpus` shows it"
                : "is quarantined: nothing new starts there, running tasks finish";
    }
}
