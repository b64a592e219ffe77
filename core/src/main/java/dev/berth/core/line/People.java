package dev.berth.core.line;

import dev.berth.core.task.Owner;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** How much each user counts, by name; whoever is not named counts as everybody. */
public record People(SortedMap<String, Standing> named) {

    public static final People EQUAL = new People(new TreeMap<>());

    public People {
        named = Collections.unmodifiableSortedMap(new TreeMap<>(named));
    }

    /**
     * @param weight above 0
     * @param isVip goes before the others of the same class
     */
    public record Standing(double weight, boolean isVip) {

        static final Standing USUAL = new Standing(1, false);

        public Standing {
            if (!(weight > 0) || Double.isInfinite(weight)) {
                throw new IllegalArgumentException("a weight is above 0, not " + weight);
            }
        }
    }

    Standing standing(Owner owner) {
        return named.getOrDefault(owner.name(), Standing.USUAL);
    }
}
