package dev.berth.core.line;

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

    @Override
    public int compareTo(Precedence other) {
        int byUrgency = Integer.compare(urgency, other.urgency);
        if (byUrgency != 0) {
            return byUrgency;
        }
        int byStanding = Integer.compare(standing, other.standing);
        return byStanding != 0 ? byStanding : Double.compare(burden, other.burden);
    }
}
