package dev.berth.config;

import dev.berth.config.Configuration.ModelSettings;
import dev.berth.config.Configuration.SchedulingSettings;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** Builds the scheduling settings. */
final class SchedulingSettingsReader {

    private SchedulingSettingsReader() {}

    static SchedulingSettings of(ConfigValues values) throws InvalidConfigException {
        resolveInterval(values);
        int max = values.get(SchedulingKeys.MAX_TIMEOUT).intValue();
        var cpuTasks = values.find(SchedulingKeys.CPU_TASKS);
        return new SchedulingSettings(
                values.get(SchedulingKeys.ORDER),
                values.get(SchedulingKeys.BACKFILL),
                values.get(SchedulingKeys.SELECTOR),
                values.isSet(SchedulingKeys.SELECTOR)
                        ? values.find(SchedulingKeys.SELECTOR)
                        : Optional.empty(),
                ShareKeys.settings(values),
                Duration.ofSeconds(values.get(SchedulingKeys.LONG_WAIT)),
                cpuTasks.isPresent()
                        ? OptionalInt.of(cpuTasks.get().intValue())
                        : OptionalInt.empty(),
                Duration.ofMillis(values.get(SchedulingKeys.POLL_MS)),
                new ModelSettings(
                        values.membersOf(SchedulingKeys.MODEL_MIB),
                        values.get(SchedulingKeys.MEMORY_MARGIN),
                        values.get(SchedulingKeys.MODELS_PER_GPU).intValue(),
                        Duration.ofSeconds(values.get(SchedulingKeys.MODEL_LIFE)),
                        values.get(SchedulingKeys.AFFINITY_WAIT).equals("auto")),
                modelTaskSeconds(values, max),
                max);
    }

    /** A lower maximum also lowers the default, unless the default is set explicitly. */
    private static int modelTaskSeconds(ConfigValues values, int max)
            throws InvalidConfigException {
        var key = SchedulingKeys.DEFAULT_TIMEOUT;
        long usual = values.get(key);
        if (usual > max && values.isSet(key)) {
            throw new InvalidConfigException(
                    values.source(key)
                            + ": "
                            + key.name()
                            + " is at most "
                            + SchedulingKeys.MAX_TIMEOUT.name()
                            + " ("
                            + max
                            + "), not "
                            + usual);
        }
        return (int) Math.min(usual, max);
    }

    /** The interval has three key names; the one in milliseconds has precedence. */
    private static void resolveInterval(ConfigValues values) {
        values.find(SchedulingKeys.POLL_SECONDS)
                .ifPresent(
                        seconds ->
                                applyAlias(
                                        values,
                                        SchedulingKeys.POLL_SECONDS,
                                        Math.max(1, Math.round(seconds * 1000))));
        values.find(SchedulingKeys.CHECK_SECONDS)
                .ifPresent(
                        seconds ->
                                applyAlias(values, SchedulingKeys.CHECK_SECONDS, seconds * 1000));
    }

    private static void applyAlias(ConfigValues values, ConfigKey<?> alias, long millis) {
        var interval = SchedulingKeys.POLL_MS;
        if (values.isSet(interval)) {
            values.warn(
                    values.source(alias)
                            + ": "
                            + alias.name()
                            + " has no effect, because the same is set at "
                            + values.source(interval)
                            + " ("
                            + interval.name()
                            + ")");
        } else {
            values.putIfUnset(interval, millis, values.source(alias));
        }
    }
}
