package dev.berth.core.plan;

import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Owner;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The reservations that each owner's tasks may use, decided once for each owner. */
final class AdmittedOwners {

    private final List<ReservationWindow> all;
    private final UserGroups groups;
    private final TreeMap<String, SortedSet<Long>> byPrincipal = new TreeMap<>();

    AdmittedOwners(List<ReservationWindow> all, UserGroups groups) {
        this.all = all;
        this.groups = groups;
    }

    /** Their ids. */
    SortedSet<Long> windows(Owner owner) {
        return byPrincipal.computeIfAbsent(owner.principal(), _ -> admitting(owner));
    }

    private SortedSet<Long> admitting(Owner owner) {
        var own = groups.of(owner);
        var admitting = new TreeSet<Long>();
        for (var window : all) {
            if (window.reservation().holder().admits(owner, own)) {
                admitting.add(window.id());
            }
        }
        return Collections.unmodifiableSortedSet(admitting);
    }
}
