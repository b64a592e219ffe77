package dev.berth.cli.command.model;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.json.WireReader;
import dev.berth.cli.text.SafeText;
import dev.berth.wire.ModelInfo;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Lists models and their workers; adds, changes, removes, loads and unloads a model. */
public final class ModelsCommand implements CliCommand {

    private static final String PATH = "/api/models";
    private static final List<String> VERBS = List.of("show", "add", "rm", "load", "unload");

    @Override
    public CommandSyntax syntax() {
        List<CommandOption> options = new ArrayList<>(ModelSettings.OPTIONS);
        options.add(ModelLoading.GPU);
        options.add(CommandOption.JSON);
        return new CommandSyntax(
                "models",
                "[[show] NAME | add NAME --worker CMD | rm NAME | load NAME | unload NAME]",
                "Show the models that workers keep loaded; add, remove, load or unload one",
                options);
    }

    @Override
    public int run(ParsedOptions options, CallContext context) {
        List<String> arguments = options.arguments();
        if (arguments.isEmpty()) {
            checkOptions("", options);
            return list(options, context);
        }
        boolean isVerb = VERBS.contains(arguments.getFirst());
        if (arguments.size() != (isVerb ? 2 : 1)) {
            throw new UsageError(
                    isVerb
                            ? "give the name of one model: berth models "
                                    + arguments.getFirst()
                                    + " NAME"
                            : "no '"
                                    + SafeText.line(arguments.getFirst())
                                    + "' here: "
                                    + String.join(", ", VERBS)
                                    + ", or the name of a model");
        }
        String verb = isVerb ? arguments.getFirst() : "show";
        checkOptions(verb, options);
        return act(verb, arguments.getLast(), options, context);
    }

    private static void checkOptions(String verb, ParsedOptions options) {
        for (CommandOption option : ModelSettings.OPTIONS) {
            if (options.has(option) && !verb.equals("add")) {
                throw new UsageError(option.name() + " is for add only");
            }
        }
        if (options.has(ModelLoading.GPU) && !verb.equals("load") && !verb.equals("unload")) {
            throw new UsageError("--gpu is for load and unload only");
        }
    }

    private static int list(ParsedOptions options, CallContext context) {
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.get(PATH);
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            List<ModelInfo> models = WireReader.modelInfoList(connection.json(reply));
            if (models.isEmpty()) {
                context.out().println("No model has workers. `berth models add NAME --worker CMD`");
            } else {
                context.out().print(ModelTable.render(models, context));
            }
            return 0;
        }
    }

    private static int act(String verb, String name, ParsedOptions options, CallContext context) {
        ApiRequest request = request(verb, name, options, context);
        try (ServerConnection connection = ServerConnection.open(options, context)) {
            ApiReply reply = connection.send(request);
            if (options.has(CommandOption.JSON)) {
                context.out().println(reply.body().strip());
                return 0;
            }
            ModelInfo model = WireReader.modelInfo(connection.json(reply));
            context.out()
                    .println(
                            switch (verb) {
                                case "add" -> SafeText.line(name) + " saved";
                                case "rm" -> SafeText.line(name) + " removed";
                                case "load", "unload" -> ModelLoading.outcome(verb, model);
                                default -> new ModelText(model, context).text();
                            });
            return 0;
        }
    }

    private static ApiRequest request(
            String verb, String name, ParsedOptions options, CallContext context) {
        String target = PATH + "/" + encoded(name);
        return switch (verb) {
            case "add" -> ApiRequest.put(target, ModelSettings.body(options, context));
            case "rm" -> ApiRequest.delete(target);
            case "load", "unload" ->
                    ApiRequest.post(target + "/" + verb, ModelLoading.body(options));
            default -> ApiRequest.get(target);
        };
    }

    /** In a path, a plus is a plus. */
    private static String encoded(String name) {
        if (name.isEmpty()) {
            throw new UsageError("the name of a model is not empty");
        }
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
