package dev.berth.core.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Which models are thought to be on a card.
 *
 * @param most so many; the least recently used goes
 * @param life one that nobody has used for so long is gone
 */
public record ModelCache(int most, Duration life) {

    public static final ModelCache USUAL = new ModelCache(2, Duration.ofHours(1));

    /** A model and when it was last used. */
    public record Use(String model, Instant at) {}

    /** The uses after one more, the oldest first. */
    public List<Use> used(List<Use> uses, String model, Instant at) {
        var after = new ArrayList<>(uses);
        after.removeIf(use -> use.model().equals(model));
        after.add(new Use(model, at));
        return List.copyOf(after.subList(Math.max(0, after.size() - most), after.size()));
    }

    /** What is there now. */
    public List<String> loaded(List<Use> uses, Instant now) {
        return uses.stream()
                .filter(use -> now.isBefore(use.at().plus(life)))
                .map(Use::model)
                .toList();
    }
}
