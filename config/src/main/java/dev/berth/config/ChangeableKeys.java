package dev.berth.config;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Keys that can be changed while the server runs. */
final class ChangeableKeys {

    /** Take effect immediately. */
    static final List<ConfigKey<?>> RULES =
            Stream.concat(ShareKeys.ALL.stream(), ownRules().stream()).toList();

    /** Keys with a user-defined name that take effect immediately. */
    static final List<KeyFamily<?>> RULE_FAMILIES = ShareKeys.FAMILIES;

    private static List<ConfigKey<?>> ownRules() {
        return List.of(
                LaneKeys.CHECK_TIME,
                LaneKeys.USE_ALL_GPUS,
                LaneKeys.COMPETE_GPUS,
                LaneKeys.GPUS_LEFT,
                LaneKeys.SHARE_GPUS,
                ConfigKeys.FOREIGN_PROCESSES,
                ConfigKeys.MEMORY_THRESHOLD,
                LaneKeys.ASSIGN_DELAY,
                LaneKeys.START_CONFIRM_LIMIT,
                LaneKeys.RETRIES_BEFORE_BACKOFF,
                LaneKeys.BACKOFF,
                LaneKeys.MAX_RETRIES,
                LaneKeys.WORK_DIR,
                CommandKeys.ALLOW,
                CommandKeys.DENY,
                CommandKeys.MESSAGE);
    }

    /** Take effect at the next start. */
    static final List<ConfigKey<?>> SETTINGS =
            List.of(ConfigKeys.HOST, ConfigKeys.PORT, ConfigKeys.AUTO_PORT, ConfigKeys.PUBLIC_URL);

    private ChangeableKeys() {}

    static boolean isRule(String name) {
        return RULES.stream().anyMatch(key -> key.name().equals(name));
    }

    static boolean isFamilyRule(String name) {
        return findFamilyRule(name).isPresent();
    }

    /** The rule of this name if it has a user-defined part. */
    static Optional<ConfigKey<?>> findFamilyRule(String name) {
        for (var family : RULE_FAMILIES) {
            var member = family.memberOf(name);
            if (member.isPresent()) {
                return Optional.of(family.keyOf(member.get()));
            }
        }
        return Optional.empty();
    }
}
