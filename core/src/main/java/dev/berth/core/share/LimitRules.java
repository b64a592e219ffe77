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
        return Optional.ofNullable(of(owner, ownGroups).get(key));
    }

    /** All limits of a user: its own, else the best one of its groups, else the default. */
    public SortedMap<LimitKey, Limit> of(Owner owner, SortedSet<String> ownGroups) {
        var limits = new TreeMap<LimitKey, Limit>();
        var own = users.getOrDefault(owner.name(), Collections.emptySortedMap());
        own.forEach((key, value) -> limits.put(key, new Limit(key, value, LimitSource.USER)));
        ofGroups(ownGroups).forEach(limits::putIfAbsent);
        defaults.forEach(
                (key, value) ->
                        limits.putIfAbsent(key, new Limit(key, value, LimitSource.DEFAULT)));
        return limits;
    }

    /** The largest value of each; of equal ones that of the first group by name. */
    private SortedMap<LimitKey, Limit> ofGroups(SortedSet<String> ownGroups) {
        var best = new TreeMap<LimitKey, Limit>();
        if (groups.isEmpty()) {
            return best;
        }
        for (var group : ownGroups) {
            groups.getOrDefault(group, Collections.emptySortedMap())
                    .forEach(
                            (key, value) ->
                                    best.merge(
                                            key,
                                            new Limit(key, value, LimitSource.group(group)),
                                            (one, other) ->
                                                    other.value() > one.value() ? other : one));
        }
        return best;
    }
}
