package dev.berth.core.line;

import dev.berth.core.task.Lane;
import dev.berth.core.task.Need;

import java.time.Instant;

/**
 * A place at one moment, lower first; tasks of equal precedence go by rank.
 *
 * @param urgency the class of priority
 * @param standing 0 for those who always go first in their class
 * @param burden what speaks for letting others go first
 * @param turn among command files' lanes; the rest goes before them
 */
public record Precedence(int urgency, int standing, double burden, Turn turn)
        implements Comparable<Precedence> {

    /** Everybody's, where only rank counts. */
    static final Precedence EQUAL = new Precedence(0, 0, 0);

    public Precedence(int urgency, int standing, double burden) {
        this(urgency, standing, burden, Turn.FIRST);
    }

    /** Of a lane's head: after everybody who is in no such lane, the larger need first. */
    Precedence in(Lane lane, Need need, Instant now) {
        return switch (lane) {
            case Lane.Named _ -> this;
            case Lane.OfRun run ->
                    new Precedence(urgency, standing, burden, Turn.of(run, need, now));
        };
    }

    @Override
    public int compareTo(Precedence other) {
        int byUrgency = Integer.compare(urgency, other.urgency);
        if (byUrgency != 0) {
            return byUrgency;
        }
        int byKind = Integer.compare(turn.kind, other.turn.kind);
        if (byKind != 0) {
            return byKind;
        }
        int byStanding = Integer.compare(standing, other.standing);
        if (byStanding != 0) {
            return byStanding;
        }
        int byBurden = Double.compare(burden, other.burden);
        return byBurden != 0 ? byBurden : turn.compareTo(other.turn);
    }

    /**
     * When a lane's head has its turn.
     *
     * @param kind those in no file's lane, lanes of several cards, lanes of one card
     * @param cards that it asks for, where that counts
     * @param lot drawn anew at each moment, so that no lane is favoured
     */
    record Turn(int kind, int cards, long lot) implements Comparable<Turn> {

        static final Turn FIRST = new Turn(0, 0, 0);

        static Turn of(Lane.OfRun lane, Need need, Instant now) {
            long seed = now.getEpochSecond() * 1_000_000_000L + now.getNano();
            long lot = mixed(mixed(mixed(seed) + lane.run()) + lane.queue());
            return lane.isMulti()
                    ? new Turn(1, need instanceof Need.Cards cards ? cards.count().least() : 0, lot)
                    : new Turn(2, 0, lot);
        }

        /** Turns each bit of the input into a change of half of the result's. */
        private static long mixed(long seed) {
            long bits = seed + 0x9E3779B97F4A7C15L;
            bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
            bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
            return bits ^ (bits >>> 31);
        }

        @Override
        public int compareTo(Turn other) {
            int byKind = Integer.compare(kind, other.kind);
            if (byKind != 0) {
                return byKind;
            }
            int byNeed = Integer.compare(other.cards, cards);
            return byNeed != 0 ? byNeed : Long.compare(lot, other.lot);
        }
    }
}
