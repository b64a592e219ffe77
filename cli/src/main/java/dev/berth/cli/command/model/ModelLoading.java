package dev.berth.cli.command.model;

import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonWriter;
import dev.berth.wire.ModelInfo;

import java.util.Map;

/** {@code berth models load} and {@code unload}. */
final class ModelLoading {

    static final CommandOption GPU =
            CommandOption.withValue("--gpu", "N", "load, unload: on this GPU only");

    private ModelLoading() {}

    static String body(ParsedOptions options) {
        String gpu = options.value(GPU);
        return JsonWriter.write(gpu == null ? Map.of() : Map.of("gpu", index(gpu)));
    }

    private static int index(String gpu) {
        return AmountParser.count(gpu)
                .orElseThrow(
                        () ->
                                new UsageError(
                                        "--gpu '"
                                                + SafeText.line(gpu)
                                                + "' is invalid: the number of one GPU"));
    }

    /** The state after the request, which has only begun to load or unload. */
    static String outcome(String verb, ModelInfo model) {
        String loaded = ModelTable.loaded(model);
        String name = SafeText.line(model.name());
        if (loaded.isEmpty()) {
            return name + (verb.equals("unload") ? " is not loaded" : " will be loaded");
        }
        return name + ": " + SafeText.line("GPU " + loaded);
    }
}
