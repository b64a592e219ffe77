package dev.berth.server.config;

import java.util.List;

/** What can be changed through a server that runs. */
final class RuleKeys {

    /** In force at once. */
    static final List<Key<?>> RULES =
            List.of(
                    LaneKeys.CHECK_TIME,
                    LaneKeys.USE_ALL,
                    LaneKeys.COMPETE,
                    LaneKeys.LEFT,
                    LaneKeys.EXTREME,
                    Keys.FOREIGN,
                    Keys.THRESHOLD,
                    LaneKeys.ASSIGN_DELAY,
                    LaneKeys.CONFIRM,
                    LaneKeys.RETRIES_AT_ONCE,
                    LaneKeys.REST,
                    LaneKeys.MOST_RETRIES,
                    LaneKeys.WORK_DIR);

    /** In force at the next start. */
    static final List<Key<?>> SETTINGS =
            List.of(Keys.HOST, Keys.PORT, Keys.AUTO_PORT, Keys.PUBLIC_URL);

    private RuleKeys() {}

    static boolean isRule(String name) {
        return RULES.stream().anyMatch(key -> key.name().equals(name));
    }
}
