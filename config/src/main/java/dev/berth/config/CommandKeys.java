package dev.berth.config;

import dev.berth.core.access.CommandPolicy;

import java.util.List;

/** Keys that say which commands may be submitted. */
final class CommandKeys {

    /** The group of these keys. */
    static final String GROUP = "command_policy.";

    static final ConfigKey<List<String>> ALLOW =
            ConfigKey.withDefault(
                    GROUP + "allow",
                    ValueType.patterns(),
                    List.of(),
                    "regular expressions: a command is accepted only if one of them is found in it;"
                            + " all commands if empty");
    static final ConfigKey<List<String>> DENY =
            ConfigKey.withDefault(
                    GROUP + "deny",
                    ValueType.patterns(),
                    List.of(),
                    "regular expressions: a command in which one of them is found is refused");
    static final ConfigKey<String> MESSAGE =
            ConfigKey.withoutDefault(
                    GROUP + "message",
                    ValueType.text(),
                    "a sentence that is added to the refusal, such as whom to ask");

    static final List<ConfigKey<?>> ALL = List.of(ALLOW, DENY, MESSAGE);

    private CommandKeys() {}

    static CommandPolicy policy(ConfigValues values) {
        return CommandPolicy.of(
                values.get(ALLOW), values.get(DENY), values.find(MESSAGE).map(String::strip));
    }
}
