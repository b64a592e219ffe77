package dev.berth.config;

import dev.berth.config.Configuration.ShareSettings;
import dev.berth.core.share.Limit;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.task.Priority;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Keys of what users and groups may use. All of them can be changed while the server runs. */
final class ShareKeys {

    /** The group of the limits. */
    static final String LIMITS = "limits.";

    private static final String DEFAULTS = LIMITS + "default.";
    private static final String GROUPS = LIMITS + "groups";
    private static final String USERS = LIMITS + "users";

    private static final long MOST = 1_000_000;
    private static final double YEAR_HOURS = 366 * 24;
    private static final double MIN_HOURS = 0.01;

    static final ConfigKey<Boolean> COUNT_OUTSIDE =
            ConfigKey.withDefault(
                    "count_outside",
                    ValueType.flag(),
                    false,
                    "whether GPU time of processes outside Berth is charged to their users");

    static final KeyFamily<Double> WEIGHT =
            new KeyFamily<>(
                    "users",
                    ".weight",
                    ValueType.positiveNumber(MOST),
                    "the weight of the user; 1 if unset");
    static final KeyFamily<Boolean> VIP =
            new KeyFamily<>(
                    "users",
                    ".vip",
                    ValueType.flag(),
                    "starts before other users of the same priority");
    static final KeyFamily<Double> GROUP_WEIGHT =
            new KeyFamily<>(
                    "groups",
                    ".weight",
                    ValueType.positiveNumber(MOST),
                    "the weight of the group in fair_share");

    /** The keys of one limit. */
    private record LimitEntry<T extends Comparable<T>>(
            LimitKey key, ValueType<T> type, String description) {

        ConfigKey<T> ofDefault() {
            return ConfigKey.withoutDefault(DEFAULTS + key.configName(), type, description);
        }

        KeyFamily<T> of(String group) {
            return new KeyFamily<>(group, "." + key.configName(), type, description);
        }

        double value(T configured) {
            return configured instanceof Number number
                    ? number.doubleValue()
                    : Limit.ofPriority(
                            Priority.valueOf(configured.toString().toUpperCase(Locale.ROOT)));
        }
    }

    private static final List<LimitEntry<?>> ENTRIES =
            List.of(
                    new LimitEntry<>(
                            LimitKey.MAX_GPUS,
                            ValueType.wholeNumber(0, MOST),
                            "GPUs that the tasks of one user hold at the same time"),
                    new LimitEntry<>(
                            LimitKey.MAX_RUNNING,
                            ValueType.wholeNumber(0, MOST),
                            "tasks of one user that run at the same time"),
                    new LimitEntry<>(
                            LimitKey.MAX_QUEUED,
                            ValueType.wholeNumber(0, MOST),
                            "tasks of one user that wait at the same time, drafts included"),
                    new LimitEntry<>(
                            LimitKey.MAX_HOURS,
                            ValueType.number(MIN_HOURS, YEAR_HOURS),
                            "the longest time limit of a task, in hours; a task without one gets"
                                    + " it"),
                    new LimitEntry<>(
                            LimitKey.MAX_PRIORITY,
                            ValueType.word(priorities()),
                            "the most urgent priority of a task"),
                    new LimitEntry<>(
                            LimitKey.GPU_HOURS_PER_DAY,
                            ValueType.number(0, MOST),
                            "GPU-hours of one user in 24 hours; above them a task waits while"
                                    + " tasks of others wait"));

    private static final List<ConfigKey<?>> LIMIT_DEFAULTS =
            ENTRIES.stream().<ConfigKey<?>>map(LimitEntry::ofDefault).toList();

    static final List<ConfigKey<?>> ALL =
            Stream.concat(LIMIT_DEFAULTS.stream(), Stream.of(COUNT_OUTSIDE)).toList();

    static final List<KeyFamily<?>> FAMILIES =
            Stream.of(
                            Stream.<KeyFamily<?>>of(WEIGHT, VIP, GROUP_WEIGHT),
                            ENTRIES.stream().<KeyFamily<?>>map(entry -> entry.of(GROUPS)),
                            ENTRIES.stream().<KeyFamily<?>>map(entry -> entry.of(USERS)))
                    .<KeyFamily<?>>flatMap(families -> families)
                    .toList();

    private ShareKeys() {}

    private static String[] priorities() {
        return Arrays.stream(Priority.values())
                .map(priority -> priority.name().toLowerCase(Locale.ROOT))
                .toArray(String[]::new);
    }

    static ShareSettings settings(ConfigValues values) {
        var vips = new TreeMap<>(values.membersOf(VIP));
        vips.values().removeIf(isVip -> !isVip);
        return new ShareSettings(
                values.membersOf(WEIGHT),
                new TreeSet<>(vips.keySet()),
                values.membersOf(GROUP_WEIGHT),
                limits(values),
                values.get(COUNT_OUTSIDE));
    }

    private static LimitRules limits(ConfigValues values) {
        var defaults = new TreeMap<LimitKey, Double>();
        var groups = new TreeMap<String, SortedMap<LimitKey, Double>>();
        var users = new TreeMap<String, SortedMap<LimitKey, Double>>();
        ENTRIES.forEach(entry -> read(entry, values, defaults));
        ENTRIES.forEach(entry -> read(entry, GROUPS, values, groups));
        ENTRIES.forEach(entry -> read(entry, USERS, values, users));
        return new LimitRules(defaults, groups, users);
    }

    private static <T extends Comparable<T>> void read(
            LimitEntry<T> entry, ConfigValues values, SortedMap<LimitKey, Double> defaults) {
        values.find(entry.ofDefault())
                .ifPresent(value -> defaults.put(entry.key(), entry.value(value)));
    }

    private static <T extends Comparable<T>> void read(
            LimitEntry<T> entry,
            String group,
            ConfigValues values,
            SortedMap<String, SortedMap<LimitKey, Double>> members) {
        values.membersOf(entry.of(group))
                .forEach(
                        (name, value) ->
                                members.computeIfAbsent(name, _ -> new TreeMap<>())
                                        .put(entry.key(), entry.value(value)));
    }
}
