package dev.berth.server.config;

import dev.berth.server.config.Configuration.Models;
import dev.berth.server.config.Configuration.Scheduling;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;

/** Puts together what is set about scheduling. */
final class SchedulingReading {

    private SchedulingReading() {}

    static Scheduling of(Values values) throws ConfigRefused {
        interval(values);
        int most = values.get(SchedulingKeys.MOST_TIMEOUT).intValue();
        var cpuTasks = values.find(SchedulingKeys.CPU_TASKS);
        var vips = new TreeMap<>(values.members(SchedulingKeys.VIP));
        vips.values().removeIf(isVip -> !isVip);
        return new Scheduling(
                values.get(SchedulingKeys.ORDER),
                values.get(SchedulingKeys.BACKFILL),
                values.get(SchedulingKeys.SELECTOR),
                values.isSet(SchedulingKeys.SELECTOR)
                        ? values.find(SchedulingKeys.SELECTOR)
                        : Optional.empty(),
                values.members(SchedulingKeys.WEIGHT),
                new TreeSet<>(vips.keySet()),
                Duration.ofSeconds(values.get(SchedulingKeys.WAIT_WARN)),
                cpuTasks.isPresent()
                        ? OptionalInt.of(cpuTasks.get().intValue())
                        : OptionalInt.empty(),
                Duration.ofMillis(values.get(SchedulingKeys.POLL_MS)),
                new Models(
                        values.members(SchedulingKeys.MODEL_MIB),
                        values.get(SchedulingKeys.MARGIN),
                        values.get(SchedulingKeys.MODELS).intValue(),
                        Duration.ofSeconds(values.get(SchedulingKeys.MODEL_LIFE))),
                modelTaskSeconds(values, most),
                most);
    }

    /** Whoever lowers the most has lowered the default with it, unless they set that too. */
    private static int modelTaskSeconds(Values values, int most) throws ConfigRefused {
        var key = SchedulingKeys.USUAL_TIMEOUT;
        long usual = values.get(key);
        if (usual > most && values.isSet(key)) {
            throw new ConfigRefused(
                    values.source(key)
                            + ": "
                            + key.name()
                            + " is at most "
                            + SchedulingKeys.MOST_TIMEOUT.name()
                            + " ("
                            + most
                            + "), not "
                            + usual);
        }
        return (int) Math.min(usual, most);
    }

    /** The interval has three names; the one in milliseconds wins. */
    private static void interval(Values values) {
        values.find(SchedulingKeys.POLL_SECONDS)
                .ifPresent(
                        seconds ->
                                alias(
                                        values,
                                        SchedulingKeys.POLL_SECONDS,
                                        Math.max(1, Math.round(seconds * 1000))));
        values.find(SchedulingKeys.CHECK_SECONDS)
                .ifPresent(seconds -> alias(values, SchedulingKeys.CHECK_SECONDS, seconds * 1000));
    }

    private static void alias(Values values, Key<?> alias, long millis) {
        var own = SchedulingKeys.POLL_MS;
        if (values.isSet(own)) {
            values.warn(
                    values.source(alias)
                            + ": "
                            + alias.name()
                            + " has no effect, because the same is set at "
                            + values.source(own)
                            + " ("
                            + own.name()
                            + ")");
        } else {
            values.presume(own, millis, values.source(alias));
        }
    }
}
