package dev.berth.core.share;

import java.util.Optional;

/**
 * The part of the configuration that sets a limit.
 *
 * @param group the name of the group, if it is a group's
 */
public record LimitSource(Kind kind, Optional<String> group) {

    /** Whose limit it is. */
    public enum Kind {
        USER,
        GROUP,
        DEFAULT
    }

    static final LimitSource USER = new LimitSource(Kind.USER, Optional.empty());

    static final LimitSource DEFAULT = new LimitSource(Kind.DEFAULT, Optional.empty());

    static LimitSource group(String name) {
        return new LimitSource(Kind.GROUP, Optional.of(name));
    }

    public String apiName() {
        return switch (kind) {
            case USER -> "user";
            case GROUP -> "group:" + group.orElseThrow();
            case DEFAULT -> "default";
        };
    }
}
