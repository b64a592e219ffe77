package dev.berth.node.card;

import dev.berth.core.card.Fault;

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
 * Draws from one look at the cards' health after the other, and from the driver's errors, which
 * cards are not to be trusted any more. Each sign is given once. Reads no clock.
 */
final class Signs {

    private static final Logger log = LoggerFactory.getLogger(Signs.class);

    /** A card that has slowed itself down for so long, in so many looks, is too hot. */
    static final Duration HOT = Duration.ofSeconds(30);

    static final int HOT_LOOKS = 3;

    /** The same error of the same card is one sign, though it is heard twice or again and again. */
    static final Duration SAME_ERROR = Duration.ofMinutes(10);

    private final SortedMap<String, Chart> charts = new TreeMap<>();
    private final Map<PciAddress, String> places = new HashMap<>();

    /** The driver or the hardware says that something is wrong. */
    record Sign(String uuid, Fault.Kind kind, String why) {}

    /** One card. */
    private static final class Chart {
        private Optional<Health> last = Optional.empty();
        private OptionalLong uncorrected = OptionalLong.empty();
        private long lookedAt;
        private int hotLooks;
        private long hotSince;
        private boolean isHeatTold;
        private final Map<Integer, Long> errors = new TreeMap<>();
    }

    /**
     * @param begun when these were asked for
     */
    List<Sign> looked(List<Health> looks, long begun, long now) {
        var signs = new ArrayList<Sign>();
        for (var health : looks) {
            var chart = charts.computeIfAbsent(health.uuid(), _ -> new Chart());
            health.place().ifPresent(place -> places.put(place, health.uuid()));
            memory(chart, health).ifPresent(signs::add);
            remedy(chart, health).ifPresent(signs::add);
            heat(chart, health, now).ifPresent(signs::add);
            chart.last = Optional.of(health);
            chart.uncorrected =
                    health.uncorrected().isPresent() ? health.uncorrected() : chart.uncorrected;
            chart.lookedAt = begun;
        }
        return signs;
    }

    /** What was there when Berth first looked is no news, but for what never heals. */
    private static Optional<Sign> memory(Chart chart, Health health) {
        if (chart.last.isEmpty()) {
            if (health.uncorrected().orElse(0) > 0 || health.isRepairPending()) {
                log.info(
                        "card={} has {} uncorrected memory error(s) from before{}",
                        health.uuid(),
                        health.uncorrected().orElse(0),
                        health.isRepairPending() ? " and waits for a reset" : "");
            }
            return health.isRepairFailed() ? ecc(health, "row remapping failed") : Optional.empty();
        }
        var before = chart.last.get();
        long more = health.uncorrected().orElse(0) - chart.uncorrected.orElse(0);
        if (chart.uncorrected.isPresent() && more > 0) {
            return ecc(health, more + " uncorrected memory error(s)");
        }
        if (health.isRepairFailed() && !before.isRepairFailed()) {
            return ecc(health, "row remapping failed");
        }
        return health.isRepairPending() && !before.isRepairPending()
                ? ecc(health, "bad memory waits to be taken out of use by a reset")
                : Optional.empty();
    }

    private static Optional<Sign> ecc(Health health, String why) {
        return Optional.of(new Sign(health.uuid(), Fault.Kind.ECC, "ECC: " + why));
    }

    /** A card that is to be drained may finish what it does; one that is to be reset cannot. */
    private static Optional<Sign> remedy(Chart chart, Health health) {
        boolean isNews = !chart.last.flatMap(Health::remedy).equals(health.remedy());
        return health.remedy()
                .filter(what -> isNews && !what.startsWith("Drain"))
                .map(
                        what ->
                                new Sign(
                                        health.uuid(),
                                        Fault.Kind.XID,
                                        "the driver asks for: " + what));
    }

    private static Optional<Sign> heat(Chart chart, Health health, long now) {
        if (!health.isHot()) {
            chart.hotLooks = 0;
            chart.isHeatTold = false;
            return Optional.empty();
        }
        if (chart.hotLooks++ == 0) {
            chart.hotSince = now;
        }
        if (chart.isHeatTold
                || chart.hotLooks < HOT_LOOKS
                || now - chart.hotSince < HOT.toNanos()) {
            return Optional.empty();
        }
        chart.isHeatTold = true;
        return Optional.of(
                new Sign(
                        health.uuid(),
                        Fault.Kind.HOT,
                        "so hot for " + HOT.toSeconds() + " s that it slows itself down"));
    }

    /** Which card sits there, if a look has told. */
    Optional<String> cardAt(PciAddress place) {
        return Optional.ofNullable(places.get(place));
    }

    /** The driver has reported an error. */
    Optional<Sign> heard(String uuid, int number, long now) {
        var xid = Xid.of(number);
        var chart = charts.computeIfAbsent(uuid, _ -> new Chart());
        var before = chart.errors.put(number, now);
        if (before != null && now - before < SAME_ERROR.toNanos()) {
            // Counted from the first, so that one that never ends is told of again.
            chart.errors.put(number, before);
            return Optional.empty();
        }
        if (xid.isEmpty()) {
            log.warn("card={} Xid {}: not known to Berth, the card stays in use", uuid, number);
            return Optional.empty();
        }
        if (xid.get().fault().isEmpty()) {
            log.info("card={} {}: the card stays in use", uuid, xid.get().shown());
        }
        return xid.get().fault().map(kind -> new Sign(uuid, kind, xid.get().shown()));
    }

    /** Why a card may not come back yet, by a look that was begun since; none where none can be. */
    Optional<String> complaint(String uuid, long since) {
        var chart = charts.get(uuid);
        if (chart == null || chart.last.isEmpty()) {
            return Optional.empty();
        }
        return chart.lookedAt - since < 0
                ? Optional.of("its health could not be read")
                : chart.last.flatMap(Health::complaint);
    }

    /** From now on the same errors are news again. */
    void tested(String uuid) {
        var chart = charts.get(uuid);
        if (chart != null) {
            chart.errors.clear();
            chart.hotLooks = 0;
            chart.isHeatTold = false;
        }
    }
}
