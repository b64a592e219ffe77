package dev.berth.core.share;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.Owner;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** The groups of each principal, as the machine's name services listed them last. */
public record UserGroups(PersistentMap<String, SortedSet<String>> byPrincipal) {

    public static final UserGroups NONE = new UserGroups(PersistentMap.empty());

    /** Empty if nothing is known of the principal. */
    public SortedSet<String> of(String principal) {
        return byPrincipal.get(principal).orElse(Collections.emptySortedSet());
    }

    public SortedSet<String> of(Owner owner) {
        return of(owner.principal());
    }

    public UserGroups with(String principal, SortedSet<String> groups) {
        var kept = Collections.unmodifiableSortedSet(new TreeSet<>(groups));
        return new UserGroups(byPrincipal.with(principal, kept));
    }
}
