package dev.berth.core.task;

import java.util.Locale;

/**
 * A fault of the machine that prevented a start: the task is not to blame, and nothing of it ran.
 *
 * @param detail for people: what failed and what the kernel said
 */
public record MachineFault(Kind kind, String detail) {

    public enum Kind {
        /** No bytes, no inodes or no quota left. */
        DISK_FULL,
        /** The home cannot be written: permissions or a read-only file system. */
        NOT_WRITABLE,
        /** The storage fails. */
        IO_ERROR,
        /** The kernel creates no more processes or threads. */
        PROCESS_LIMIT,
        OUT_OF_MEMORY,
        /** Too many open files. */
        OPEN_FILES,
        /** A program or script that every task needs is missing. */
        MISSING_FILE,
        /** None of the others. */
        OTHER;

        /** The name in the API. */
        public String apiName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
