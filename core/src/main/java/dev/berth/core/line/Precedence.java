package dev.berth.core.line;

import java.util.Comparator;

/**
 * A group's place at one moment, lower first; tasks of equal precedence go by rank.
 *
 * @param urgency the class of priority
 * @param standing 0 for those who always go first in their class
 * @param burden what speaks for letting others go first
 */
public record Precedence(int urgency, int standing, double burden)
        implements Comparable<Precedence> {

    /** Everybody's, where only rank counts. */
    static final Precedence EQUAL = new Precedence(0, 0, 0);

    private static final Comparator<Precedence> ORDER =
            Comparator.comparingInt(Precedence::urgency)
                    .thenComparingInt(Precedence::standing)
                    .thenComparingDouble(Precedence::burden);

    @Override
    public int compareTo(Precedence other) {
        return ORDER.compare(this, other);
    }
}
