package dev.berth.engine;

import java.util.OptionalLong;

/**
 * The free space for files of tasks.
 *
 * @param isReported an alert was raised that it is low
 */
public record DiskSpaceState(
        boolean isLow, long freeMib, OptionalLong freeInodes, boolean isReported) {

    /** Before the first report. */
    static final DiskSpaceState UNKNOWN = new DiskSpaceState(false, 0, OptionalLong.empty(), false);

    String describe() {
        var inodes = freeInodes.isPresent() ? " and " + freeInodes.getAsLong() + " inodes" : "";
        return freeMib + " MiB" + inodes + " free";
    }
}
