package dev.berth.cli.command.people;

import dev.berth.cli.call.UsageError;

/**
 * A user or a group as typed: {@code alice}, {@code @vision}.
 *
 * @param isDefault all users that have no value of their own, typed as {@code default}
 */
record ShareHolder(String name, boolean isGroup, boolean isDefault) {

    static ShareHolder parse(String typed) {
        boolean isGroup = typed.startsWith("@");
        String name = isGroup ? typed.substring(1) : typed;
        if (name.isEmpty() || name.indexOf('=') >= 0) {
            throw new UsageError("give a user or @GROUP");
        }
        return new ShareHolder(name, isGroup, typed.equals("default"));
    }

    /** The configuration key of one of its limits. */
    String limitKey(String limit) {
        if (isDefault) {
            return "limits.default." + limit;
        }
        return (isGroup ? "limits.groups." : "limits.users.") + name + "." + limit;
    }

    /** The configuration key of its weight. */
    String weightKey() {
        return (isGroup ? "groups." : "users.") + name + ".weight";
    }
}
