package dev.berth.engine;

import dev.berth.core.card.CardId;
import dev.berth.core.collect.PersistentMap;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What speaks against a card without being enough to take it out. A restart may forget it.
 *
 * @param signs failures there, since a task last went well, that look like a broken card
 * @param healedAt when its own test last handed it back
 * @param blind since when it alone cannot be read
 */
public record Doubts(
        PersistentMap<CardId, List<Sign>> signs,
        PersistentMap<CardId, Instant> healedAt,
        PersistentMap<CardId, Blind> blind) {

    static final Doubts NONE =
            new Doubts(PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty());

    /** What is older says nothing any more. */
    static final Duration MEMORY = Duration.ofHours(1);

    /** So many signs are enough, and not all of them by one command. */
    private static final int ENOUGH = 3;

    /** A command that is tried again and again is not remembered each time. */
    private static final int MOST = 10;

    /** A command failed there in the way of a broken card. */
    public record Sign(String command, Instant at) {}

    /**
     * It cannot be read.
     *
     * @param isTold whether somebody has been told
     */
    public record Blind(Instant since, String why, boolean isTold) {}

    Doubts with(CardId card, Sign sign) {
        var recent = new ArrayList<Sign>();
        for (var one : signs.get(card).orElse(List.of())) {
            if (one.at().plus(MEMORY).isAfter(sign.at())) {
                recent.add(one);
            }
        }
        recent.add(sign);
        var newest = recent.subList(Math.max(0, recent.size() - MOST), recent.size());
        return new Doubts(signs.with(card, List.copyOf(newest)), healedAt, blind);
    }

    /** One command that always fails says something of the command, and nothing of the card. */
    boolean areEnough(CardId card) {
        var there = signs.get(card).orElse(List.of());
        return there.size() >= ENOUGH && there.stream().map(Sign::command).distinct().count() > 1;
    }

    Doubts withoutSigns(CardId card) {
        return signs.contains(card) ? new Doubts(signs.without(card), healedAt, blind) : this;
    }

    Doubts healed(CardId card, Instant at) {
        return new Doubts(signs.without(card), healedAt.with(card, at), blind);
    }

    /** Whether it is back only since a short while. */
    boolean isRelapse(CardId card, Instant at) {
        return healedAt.get(card).filter(then -> then.plus(MEMORY).isAfter(at)).isPresent();
    }

    Doubts with(PersistentMap<CardId, Blind> others) {
        return new Doubts(signs, healedAt, others);
    }
}
