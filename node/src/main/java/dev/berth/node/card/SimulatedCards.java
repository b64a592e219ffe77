package dev.berth.node.card;

import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.Claim;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.card.Holders.Holder;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * Cards that exist in name only and look alive: who holds one fills it, and its load and warmth
 * follow from the holder and the time, so that the same moment always looks the same.
 */
final class SimulatedCards implements CardProbe {

    private static final int COLD_C = 36;
    private static final int WARMEST_C = 74;
    private static final Duration WARM_UP = Duration.ofSeconds(60);
    private static final int LEAST_LOAD = 55;
    private static final int LOAD_SPREAD = 45;

    /** The neighbour is here in the first half of every such span, on one of the cards. */
    private static final Duration VISIT_EVERY = Duration.ofMinutes(6);

    private static final Duration VISIT = Duration.ofMinutes(3);
    private static final String NEIGHBOUR = "mei";
    private static final long NEIGHBOURS_PID = 3_999_983;

    private final Make make;
    private final Holders holders;
    private final InstantSource clock;
    private final Instant openedAt;

    /**
     * @param hasNeighbour another user's work comes and goes
     */
    record Make(int count, long mib, String model, boolean hasNeighbour) {}

    SimulatedCards(Make make, Holders holders, InstantSource clock) {
        this.make = make;
        this.holders = holders;
        this.clock = clock;
        this.openedAt = clock.instant();
    }

    @Override
    public List<CardRow> read() {
        var now = clock.instant();
        var on = holders.now();
        return IntStream.range(0, make.count()).mapToObj(index -> row(index, on, now)).toList();
    }

    private CardRow row(int index, List<Holder> on, Instant now) {
        var uuid = "SIM-%03d".formatted(index);
        var there = new ArrayList<Occupant>();
        int load = 0;
        int warmth = COLD_C;
        for (var holder : on) {
            var claim = holder.claimOn(uuid);
            if (claim.isPresent() && holder.shim().isPresent()) {
                there.add(occupant(holder, claim.get()));
                load = Math.max(load, load(holder, index, now));
                warmth = Math.max(warmth, warmth(holder, load, now));
            }
        }
        if (on.stream().noneMatch(holder -> holder.claimOn(uuid).isPresent())) {
            var neighbour = neighbour(index, now);
            if (neighbour.isPresent()) {
                there.add(neighbour.get());
                load = LEAST_LOAD + wave(index, now);
                warmth = WARMEST_C - 8;
            }
        }
        long used =
                Math.min(
                        make.mib(), there.stream().mapToLong(one -> one.usedMib().orElse(0)).sum());
        var reading =
                new Reading(
                        OptionalLong.of(used),
                        OptionalLong.of(make.mib() - used),
                        OptionalInt.of(load),
                        OptionalInt.of(warmth),
                        OptionalInt.empty(),
                        Optional.of(there));
        return new CardRow(uuid, index, make.model(), OptionalLong.of(make.mib()), reading, false);
    }

    /** What was promised to it, or half of the card where nothing was. */
    private Occupant occupant(Holder holder, Claim claim) {
        return new Occupant(
                holder.shim().map(ProcessKey::pid).orElse(0L),
                OptionalLong.of(claim.mib() > 0 ? claim.mib() : make.mib() / 2),
                Occupant.Kind.COMPUTE,
                "bash",
                new Whose.Ours(holder.attempt()),
                Optional.of(holder.since()));
    }

    private static int load(Holder holder, int index, Instant now) {
        return LEAST_LOAD + wave((int) (31 * holder.attempt().task().value() + index), now);
    }

    /** From 0 up to the spread and back, in half a minute, and a little restless. */
    private static int wave(int phase, Instant now) {
        long second = now.getEpochSecond() + 7L * phase;
        long turn = second % 30;
        long slope = turn < 15 ? turn : 30 - turn;
        return (int) Math.min(LOAD_SPREAD, slope * LOAD_SPREAD / 15 + second * 7 % 4);
    }

    private static int warmth(Holder holder, int load, Instant now) {
        long seconds = Math.max(0, Duration.between(holder.since(), now).toSeconds());
        long part = Math.min(seconds, WARM_UP.toSeconds());
        long top = COLD_C + (long) (WARMEST_C - COLD_C) * load / 100;
        return (int) (COLD_C + (top - COLD_C) * part / WARM_UP.toSeconds());
    }

    private Optional<Occupant> neighbour(int index, Instant now) {
        var open = Duration.between(openedAt, now);
        long span = open.dividedBy(VISIT_EVERY);
        var came = openedAt.plus(VISIT_EVERY.multipliedBy(span));
        boolean isHere =
                make.hasNeighbour()
                        && now.isBefore(came.plus(VISIT))
                        && Math.floorMod(make.count() - 1 + 5 * span, make.count()) == index;
        return isHere
                ? Optional.of(
                        new Occupant(
                                NEIGHBOURS_PID,
                                OptionalLong.of(make.mib() * 2 / 5),
                                Occupant.Kind.COMPUTE,
                                "python3",
                                new Whose.User(NEIGHBOUR, false),
                                Optional.of(came)))
                : Optional.empty();
    }

    @Override
    public boolean isImmediate() {
        return true;
    }

    @Override
    public String name() {
        return "simulation";
    }

    @Override
    public void close() {}
}
