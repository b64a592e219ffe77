package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.task.Owner;
import dev.berth.port.Change;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * GPU time that users' processes used outside Berth. Readings come every second, so it is stored
 * only once a minute; a restart forgets less than that.
 *
 * @param unsavedSeconds by principal
 * @param readAt the last reading
 * @param savedAt when the use was stored last
 */
record OutsideUse(PersistentMap<String, Double> unsavedSeconds, Instant readAt, Instant savedAt) {

    static final OutsideUse NONE =
            new OutsideUse(PersistentMap.empty(), Instant.MAX, Instant.EPOCH);

    private static final Duration SAVE_EVERY = Duration.ofMinutes(1);

    /** After a longer gap between readings nobody knows what ran meanwhile. */
    private static final Duration MAX_GAP = Duration.ofSeconds(30);

    /** Adds the time since the last reading, and stores the sum when it is time to. */
    static void decide(Decision decision, List<GpuState> gpus) {
        var now = decision.at();
        var before = decision.state().sinceStart().outside();
        var gap = Duration.between(before.readAt.isAfter(now) ? now : before.readAt, now);
        var counted = gap.compareTo(MAX_GAP) > 0 ? MAX_GAP : gap;
        var after = new OutsideUse(before.with(gpus, counted), now, before.savedAt);
        if (!now.isBefore(before.savedAt.plus(SAVE_EVERY))) {
            save(decision, after);
            after = new OutsideUse(PersistentMap.empty(), now, now);
        }
        decision.setState(decision.state().with(decision.state().sinceStart().with(after)));
    }

    private PersistentMap<String, Double> with(List<GpuState> gpus, Duration time) {
        var seconds = new TreeMap<String, Double>();
        for (var gpu : gpus) {
            for (var principal : users(gpu)) {
                seconds.merge(principal, time.toMillis() / 1000.0, Double::sum);
            }
        }
        var sum = unsavedSeconds;
        for (var entry : seconds.entrySet()) {
            double known = sum.get(entry.getKey()).orElse(0.0);
            sum = sum.with(entry.getKey(), known + entry.getValue());
        }
        return sum;
    }

    /** The users that compute on the GPU outside Berth. */
    private static TreeSet<String> users(GpuState state) {
        var users = new TreeSet<String>();
        state.currentReading()
                .flatMap(reading -> reading.processes())
                .orElse(List.of())
                .forEach(
                        process -> {
                            if (process.kind() == GpuProcess.Kind.COMPUTE
                                    && process.owner()
                                            instanceof ProcessOwner.HostUser(var name, _)) {
                                users.add(Owner.unix(name).principal());
                            }
                        });
        return users;
    }

    private static void save(Decision decision, OutsideUse use) {
        for (var entry : use.unsavedSeconds) {
            long millis = Math.round(entry.getValue() * 1000);
            if (millis > 0) {
                var usage = decision.state().durable().usage();
                var account =
                        usage.charged(entry.getKey(), 1, Duration.ofMillis(millis), decision.at());
                decision.save(new Change.UsageSaved(entry.getKey(), account));
            }
        }
    }
}
