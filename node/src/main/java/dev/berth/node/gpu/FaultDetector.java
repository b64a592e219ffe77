package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuFault;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Detects unreliable GPUs from successive health readings and from the driver's errors. Each fault
 * is returned once. Reads no clock.
 */
final class FaultDetector {

    private static final Logger log = LoggerFactory.getLogger(FaultDetector.class);

    /**
     * A GPU that has slowed itself down for this time, in at least {@link #HOT_READINGS} readings,
     * is too hot.
     */
    static final Duration HOT_AFTER = Duration.ofSeconds(30);

    static final int HOT_READINGS = 3;

    /**
     * The same error of the same GPU counts once in this time, even if it is reported repeatedly or
     * through two sources.
     */
    static final Duration REPEAT_WINDOW = Duration.ofMinutes(10);

    private final SortedMap<String, History> histories = new TreeMap<>();
    private final Map<PciAddress, String> addresses = new HashMap<>();

    /** The driver or the hardware reports a fault. */
    record DetectedFault(String uuid, GpuFault.Kind kind, String why) {}

    private static final class History {
        private Optional<GpuHealth> last = Optional.empty();
        private OptionalLong uncorrected = OptionalLong.empty();
        private long readAt;
        private int hotReadings;
        private long hotSince;
        private boolean isHeatReported;
        private final Map<Integer, Long> errors = new TreeMap<>();
    }

    /**
     * @param startedAt when this reading was requested
     */
    List<DetectedFault> onHealth(List<GpuHealth> readings, long startedAt, long now) {
        var faults = new ArrayList<DetectedFault>();
        for (var health : readings) {
            var history = histories.computeIfAbsent(health.uuid(), _ -> new History());
            health.address().ifPresent(address -> addresses.put(address, health.uuid()));
            memory(history, health).ifPresent(faults::add);
            remedy(history, health).ifPresent(faults::add);
            heat(history, health, now).ifPresent(faults::add);
            history.last = Optional.of(health);
            history.uncorrected =
                    health.uncorrectedErrors().isPresent()
                            ? health.uncorrectedErrors()
                            : history.uncorrected;
            history.readAt = startedAt;
        }
        return faults;
    }

    /** Errors from before the first reading are not reported, except those that are permanent. */
    private static Optional<DetectedFault> memory(History history, GpuHealth health) {
        if (history.last.isEmpty()) {
            if (health.uncorrectedErrors().orElse(0) > 0 || health.isRepairPending()) {
                log.info(
                        "gpu={} has {} uncorrected memory error(s) from before{}",
                        health.uuid(),
                        health.uncorrectedErrors().orElse(0),
                        health.isRepairPending() ? " and waits for a reset" : "");
            }
            return health.isRepairFailed() ? ecc(health, "row remapping failed") : Optional.empty();
        }
        var before = history.last.get();
        long newErrors = health.uncorrectedErrors().orElse(0) - history.uncorrected.orElse(0);
        if (history.uncorrected.isPresent() && newErrors > 0) {
            return ecc(health, newErrors + " uncorrected memory error(s)");
        }
        if (health.isRepairFailed() && !before.isRepairFailed()) {
            return ecc(health, "row remapping failed");
        }
        return health.isRepairPending() && !before.isRepairPending()
                ? ecc(health, "bad memory waits to be taken out of use by a reset")
                : Optional.empty();
    }

    private static Optional<DetectedFault> ecc(GpuHealth health, String why) {
        return Optional.of(new DetectedFault(health.uuid(), GpuFault.Kind.ECC, "ECC: " + why));
    }

    /** A GPU that needs a drain can finish its work; one that needs a reset cannot. */
    private static Optional<DetectedFault> remedy(History history, GpuHealth health) {
        boolean isChanged =
                !history.last
                        .flatMap(GpuHealth::recommendedAction)
                        .equals(health.recommendedAction());
        return health.recommendedAction()
                .filter(what -> isChanged && !what.startsWith("Drain"))
                .map(
                        what ->
                                new DetectedFault(
                                        health.uuid(),
                                        GpuFault.Kind.XID,
                                        "the driver asks for: " + what));
    }

    private static Optional<DetectedFault> heat(History history, GpuHealth health, long now) {
        if (!health.isHot()) {
            history.hotReadings = 0;
            history.isHeatReported = false;
            return Optional.empty();
        }
        if (history.hotReadings++ == 0) {
            history.hotSince = now;
        }
        if (history.isHeatReported
                || history.hotReadings < HOT_READINGS
                || now - history.hotSince < HOT_AFTER.toNanos()) {
            return Optional.empty();
        }
        history.isHeatReported = true;
        return Optional.of(
                new DetectedFault(
                        health.uuid(),
                        GpuFault.Kind.HOT,
                        "so hot for " + HOT_AFTER.toSeconds() + " s that it slows itself down"));
    }

    /** The UUID of the GPU at this address, if a health reading has shown it. */
    Optional<String> uuidAt(PciAddress address) {
        return Optional.ofNullable(addresses.get(address));
    }

    /** The driver has reported an error. */
    Optional<DetectedFault> onXid(String uuid, int number, long now) {
        var xid = Xid.of(number);
        var history = histories.computeIfAbsent(uuid, _ -> new History());
        var before = history.errors.put(number, now);
        if (before != null && now - before < REPEAT_WINDOW.toNanos()) {
            // The time counts from the first report, so that a permanent error is reported again.
            history.errors.put(number, before);
            return Optional.empty();
        }
        if (xid.isEmpty()) {
            log.warn("gpu={} Xid {}: not known to Berth, the GPU stays in use", uuid, number);
            return Optional.empty();
        }
        if (xid.get().fault().isEmpty()) {
            log.info("gpu={} {}: the GPU stays in use", uuid, xid.get().describe());
        }
        return xid.get().fault().map(kind -> new DetectedFault(uuid, kind, xid.get().describe()));
    }

    /**
     * The reason why a GPU may not return to use yet, by a health reading requested since then.
     * Empty if no health can be read.
     */
    Optional<String> problem(String uuid, long since) {
        var history = histories.get(uuid);
        if (history == null || history.last.isEmpty()) {
            return Optional.empty();
        }
        return history.readAt - since < 0
                ? Optional.of("its health could not be read")
                : history.last.flatMap(GpuHealth::problem);
    }

    /** From now on the same errors are reported again. */
    void reset(String uuid) {
        var history = histories.get(uuid);
        if (history != null) {
            history.errors.clear();
            history.hotReadings = 0;
            history.isHeatReported = false;
        }
    }
}
