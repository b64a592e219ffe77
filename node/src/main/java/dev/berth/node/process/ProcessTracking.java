package dev.berth.node.process;

import java.util.Optional;

/** The setting {@code process_tracking}: how the processes of an attempt are identified. */
public enum ProcessTracking {
    /** By cgroup if entering one is fast, otherwise by marker. */
    AUTO,
    CGROUP,
    MARKER;

    /**
     * @param startsInside processes are created in their cgroup and need not move into it
     * @throws IllegalStateException with the reason, if cgroups are required but not available
     */
    public Optional<Cgroups> choose(Optional<Cgroups> available, boolean startsInside) {
        return switch (this) {
            case AUTO -> available.filter(cgroups -> startsInside || cgroups.isFast());
            case MARKER -> Optional.empty();
            case CGROUP -> {
                if (available.isEmpty()) {
                    throw new IllegalStateException(
                            "process_tracking is cgroup, but this process may make no cgroups"
                                    + " (version 2) here");
                }
                yield available;
            }
        };
    }
}
