package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.SafeText;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sets variables: {@code K=V}, or {@code K} for its value in the caller's environment. */
public final class EnvironmentOption {

    public static final CommandOption OPTION =
            CommandOption.withValue(
                            "--env", "K=V", "set a variable; K alone passes on its current value")
                    .withShortName("-e");

    private EnvironmentOption() {}

    /** The variables of all values of the option, in their order. */
    public static Map<String, Object> variables(List<String> values, CallContext context) {
        Map<String, Object> env = new LinkedHashMap<>();
        for (String pair : values) {
            int equals = pair.indexOf('=');
            String key = equals < 0 ? pair : pair.substring(0, equals);
            String value = equals < 0 ? context.env().get(key) : pair.substring(equals + 1);
            if (key.isEmpty()) {
                throw invalid(pair, "K=V");
            }
            if (value == null) {
                throw invalid(pair, "K=V: this variable is not set in your environment");
            }
            env.put(key, TaskScript.checkDecoded(value));
        }
        return env;
    }

    private static UsageError invalid(String text, String format) {
        return new UsageError(
                OPTION.name() + " '" + SafeText.line(text) + "' is invalid: " + format);
    }
}
