package dev.berth.core.plan;

import java.util.List;

/**
 * How well a GPU fits; a higher score is better.
 *
 * @param parts for display
 * @param tieBreak decides between equal totals
 */
public record Score(List<ScorePart> parts, double total, double tieBreak)
        implements Comparable<Score> {

    public record ScorePart(String name, double value) {}

    public Score {
        parts = List.copyOf(parts);
    }

    static Score sum(ScorePart... parts) {
        double total = 0;
        for (var part : parts) {
            total += part.value();
        }
        return new Score(List.of(parts), total, 0);
    }

    @Override
    public int compareTo(Score other) {
        int compared = Double.compare(total, other.total);
        return compared != 0 ? compared : Double.compare(tieBreak, other.tieBreak);
    }
}
