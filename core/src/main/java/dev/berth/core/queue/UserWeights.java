package dev.berth.core.queue;

import dev.berth.core.task.Owner;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Weights of users by name; all other users have the default weight. */
public record UserWeights(SortedMap<String, UserWeight> byName) {

    public static final UserWeights EQUAL = new UserWeights(new TreeMap<>());

    public UserWeights {
        byName = Collections.unmodifiableSortedMap(new TreeMap<>(byName));
    }

    /**
     * @param weight above 0
     * @param isVip its tasks go first within the same priority
     */
    public record UserWeight(double weight, boolean isVip) {

        static final UserWeight DEFAULT = new UserWeight(1, false);

        public UserWeight {
            if (!(weight > 0) || Double.isInfinite(weight)) {
                throw new IllegalArgumentException("a weight is above 0, not " + weight);
            }
        }
    }

    UserWeight of(Owner owner) {
        return byName.getOrDefault(owner.name(), UserWeight.DEFAULT);
    }
}
