package dev.berth.core.queue;

import dev.berth.core.task.Owner;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Weights of users by name; all other users have the default weight.
 *
 * @param byGroup weights of groups; the users in none of them together are one more group, of
 *     weight 1
 */
public record UserWeights(SortedMap<String, UserWeight> byName, SortedMap<String, Double> byGroup) {

    public static final UserWeights EQUAL = new UserWeights(new TreeMap<>());

    /** The group of the users in no other group. */
    public static final String OTHERS = "";

    public UserWeights {
        byName = Collections.unmodifiableSortedMap(new TreeMap<>(byName));
        byGroup = Collections.unmodifiableSortedMap(new TreeMap<>(byGroup));
    }

    /** Without groups. */
    public UserWeights(SortedMap<String, UserWeight> byName) {
        this(byName, new TreeMap<>());
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

    /** The group that a user's share comes from: the one with the largest weight. */
    public String shareGroup(SortedSet<String> groups) {
        var best = OTHERS;
        for (var group : groups) {
            var weight = byGroup.get(group);
            if (weight != null && (best.equals(OTHERS) || weight > ofGroup(best))) {
                best = group;
            }
        }
        return best;
    }

    public double ofGroup(String group) {
        return byGroup.getOrDefault(group, 1.0);
    }

    public UserWeight of(Owner owner) {
        return byName.getOrDefault(owner.name(), UserWeight.DEFAULT);
    }
}
