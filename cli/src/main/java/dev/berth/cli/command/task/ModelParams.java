package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonParser;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The parameters of a model task: from files first, then from options, which take precedence. */
final class ModelParams {

    private static final CommandOption PARAM =
            CommandOption.withValue(
                    "--param",
                    "K=V",
                    "a parameter for the model's worker; V is JSON, or else text");
    private static final CommandOption FILE =
            CommandOption.withValue(
                    "--params-file", "FILE", "parameters as a JSON object; - is standard input");

    static final List<CommandOption> OPTIONS = List.of(PARAM, FILE);

    private ModelParams() {}

    /** The first of these options that is given, or null. */
    static @Nullable CommandOption given(ParsedOptions options) {
        for (CommandOption option : OPTIONS) {
            if (options.has(option)) {
                return option;
            }
        }
        return null;
    }

    static Map<String, @Nullable Object> read(ParsedOptions options, CallContext context) {
        Map<String, @Nullable Object> params = new LinkedHashMap<>();
        for (String file : options.values(FILE)) {
            params.putAll(ofFile(file, context));
        }
        for (String pair : options.values(PARAM)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new UsageError(
                        "--param '" + SafeText.line(pair) + "' is invalid: K=V, like n_atoms=500");
            }
            TaskScript.checkDecoded(pair);
            params.put(pair.substring(0, equals), value(pair.substring(equals + 1)));
        }
        return params;
    }

    /** Text needs no quotes, unless it could be read as another value: {@code '"500"'}. */
    private static @Nullable Object value(String text) {
        try {
            return JsonParser.parse(text);
        } catch (JsonParser.MalformedJson plainText) {
            return text;
        }
    }

    private static Map<String, @Nullable Object> ofFile(String file, CallContext context) {
        TextInput from = new TextInput(file, context);
        if (!from.exists()) {
            throw new UsageError("no file '" + from.shown() + "' here");
        }
        Object value;
        try {
            value = JsonParser.parse(from.text("JSON"));
        } catch (JsonParser.MalformedJson malformed) {
            throw new CommandFailure(from.shown() + " is not JSON: " + malformed.getMessage());
        }
        if (!(value instanceof Map<?, ?> object)) {
            throw new CommandFailure(from.shown() + " is not a JSON object, like {\"n\": 7}");
        }
        Map<String, @Nullable Object> params = new LinkedHashMap<>();
        object.forEach((name, param) -> params.put(String.valueOf(name), param));
        return params;
    }
}
