package dev.berth.core.share;

import dev.berth.core.task.Owner;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * The configured limits.
 *
 * @param groups by name of the group
 * @param users by name of the user
 */
public record LimitRules(
        SortedMap<LimitKey, Double> defaults,
        SortedMap<String, SortedMap<LimitKey, Double>> groups,
        SortedMap<String, SortedMap<LimitKey, Double>> users) {

    public static final LimitRules NONE =
            new LimitRules(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

    public LimitRules {
        defaults = Collections.unmodifiableSortedMap(new TreeMap<>(defaults));
        groups = copied(groups);
        users = copied(users);
    }

    private static SortedMap<String, SortedMap<LimitKey, Double>> copied(
            SortedMap<String, SortedMap<LimitKey, Double>> limits) {
        var copy = new TreeMap<String, SortedMap<LimitKey, Double>>();
        limits.forEach(
                (name, values) ->
                        copy.put(name, Collections.unmodifiableSortedMap(new TreeMap<>(values))));
        return Collections.unmodifiableSortedMap(copy);
    }

    public boolean isEmpty() {
        return defaults.isEmpty() && groups.isEmpty() && users.isEmpty();
    }

    /** Whether anybody has such a limit. */
    public boolean uses(LimitKey key) {
        return defaults.containsKey(key)
                || groups.values().stream().anyMatch(values -> values.containsKey(key))
                || users.values().stream().anyMatch(values -> values.containsKey(key));
    }

    /** The limit of a user; empty if nothing limits this. */
    public Optional<Limit> find(LimitKey key, Owner owner, SortedSet<String> ownGroups) {
        var own = users.getOrDefault(owner.name(), Collections.emptySortedMap()).get(key);
        if (own != null) {
            return Optional.of(new Limit(key, own, LimitSource.USER));
        }
        return bestOfGroups(key, ownGroups)
                .or(
                        () ->
                                Optional.ofNullable(defaults.get(key))
                                        .map(value -> new Limit(key, value, LimitSource.DEFAULT)));
    }

    /** The largest value; of equal ones that of the first group by name. */
    private Optional<Limit> bestOfGroups(LimitKey key, SortedSet<String> ownGroups) {
        if (groups.isEmpty()) {
            return Optional.empty();
        }
        Optional<Limit> best = Optional.empty();
        for (var group : ownGroups) {
            var value = groups.getOrDefault(group, Collections.emptySortedMap()).get(key);
            if (value != null && (best.isEmpty() || value > best.get().value())) {
                best = Optional.of(new Limit(key, value, LimitSource.group(group)));
            }
        }
        return best;
    }

    /** All limits of a user. */
    public SortedMap<LimitKey, Limit> of(Owner owner, SortedSet<String> ownGroups) {
        var limits = new TreeMap<LimitKey, Limit>();
        for (var key : LimitKey.values()) {
            find(key, owner, ownGroups).ifPresent(limit -> limits.put(key, limit));
        }
        return limits;
    }
}
