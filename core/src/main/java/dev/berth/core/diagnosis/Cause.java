package dev.berth.core.diagnosis;

import java.util.Locale;

/** What made a task fail. */
public enum Cause {
    /** The card's memory was not enough. */
    OOM,
    /** The host's memory was not enough; mostly the kernel ended it. */
    HOST_OOM,
    /** The program misused its card; another card would not help. */
    CUDA,
    /** The card itself, and not what ran on it. */
    GPU_HARDWARE,
    /** Driver, toolkit and program do not go together, or there is no driver. */
    DRIVER,
    /** The processes of one task did not find each other, or waited for each other in vain. */
    NCCL,
    MODULE_MISSING,
    CONDA,
    COMMAND_MISSING,
    FILE_MISSING,
    PERMISSION,
    DISK_FULL,
    /** Packages that do not go together, cannot be found or cannot be built. */
    PACKAGES,
    PORT_IN_USE,
    NETWORK,
    /** The program does not know what it was called with. */
    ARGUMENTS,
    /** Native code crashed. */
    SEGFAULT,
    /** A Python exception that is none of the others. */
    TRACEBACK;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it speaks against the card, and not against what ran there. */
    public boolean isOfTheCard() {
        return this == GPU_HARDWARE;
    }
}
