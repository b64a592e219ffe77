package dev.berth.core.plan;

import java.util.List;

/**
 * What speaks for a card.
 *
 * @param parts for display
 * @param total of the parts that count as points
 * @param second decides between equal totals
 */
public record Score(List<Part> parts, double total, double second) implements Comparable<Score> {

    public record Part(String name, double value) {}

    public Score {
        parts = List.copyOf(parts);
    }

    static Score sum(Part... parts) {
        double total = 0;
        for (var part : parts) {
            total += part.value();
        }
        return new Score(List.of(parts), total, 0);
    }

    /** Lower is worse. */
    @Override
    public int compareTo(Score other) {
        int compared = Double.compare(total, other.total);
        return compared != 0 ? compared : Double.compare(second, other.second);
    }
}
