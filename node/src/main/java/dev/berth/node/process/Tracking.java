package dev.berth.node.process;

import java.util.Optional;

/** The setting {@code process_tracking}: how an attempt's processes are known. */
public enum Tracking {
    /** By cgroup where that is quick, else by marker. */
    AUTO,
    CGROUP,
    MARKER;

    /**
     * @throws IllegalStateException that says why, where cgroups are asked for and cannot be had
     */
    public Optional<Cgroups> choose(Optional<Cgroups> available) {
        return switch (this) {
            case AUTO -> available.filter(Cgroups::isCheap);
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
