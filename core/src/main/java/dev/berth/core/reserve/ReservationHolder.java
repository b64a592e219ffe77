package dev.berth.core.reserve;

import dev.berth.core.task.Owner;

import java.util.SortedSet;

/** For whom GPUs are reserved. */
public sealed interface ReservationHolder {

    /** Whether the tasks of this owner may use the reserved GPUs. */
    boolean admits(Owner owner, SortedSet<String> groups);

    record ForUser(String user) implements ReservationHolder {
        @Override
        public boolean admits(Owner owner, SortedSet<String> groups) {
            return owner.name().equals(user);
        }
    }

    record ForGroup(String group) implements ReservationHolder {
        @Override
        public boolean admits(Owner owner, SortedSet<String> groups) {
            return groups.contains(group);
        }
    }

    /** Nothing starts on the GPUs. */
    record ForNobody() implements ReservationHolder {
        @Override
        public boolean admits(Owner owner, SortedSet<String> groups) {
            return false;
        }
    }
}
