package dev.berth.node.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The process lists of one device. Drivers have up to three versions of the function for each list.
 * The newest one with a plausible answer is used.
 */
record NvmlProcesses(Nvml nvml, Arena arena, long device) {

    /** {@code nvmlProcessInfo_t} since version 2: pid, padding, bytes, two instance ids. */
    private static final long ENTRY_BYTES = 24;

    /** {@code nvmlProcessInfo_v1_t}: pid, padding, bytes. */
    private static final long OLD_ENTRY_BYTES = 16;

    /** Space for drivers that write more than they should, see {@link #listed}. */
    private static final long WIDEST_ENTRY_BYTES = 64;

    private static final long MEMORY_AT = 8;
    private static final int FIRST_CAPACITY = 64;
    private static final int MAX_CAPACITY = 65_536;
    private static final int TRIES = 4;

    /** All ones in {@code bytes}: not available. */
    record ListedProcess(long pid, long bytes) {}

    private record Version(String suffix, long entryBytes) {}

    private static final List<Version> VERSIONS =
            List.of(
                    new Version("_v3", ENTRY_BYTES),
                    new Version("_v2", ENTRY_BYTES),
                    new Version("", OLD_ENTRY_BYTES));

    Optional<List<ListedProcess>> read(String function) {
        for (var version : VERSIONS) {
            if (nvml.has(function + version.suffix())) {
                var listed = read(function + version.suffix(), version.entryBytes());
                if (listed.isPresent()) {
                    return listed;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<List<ListedProcess>> read(String function, long entryBytes) {
        int capacity = FIRST_CAPACITY;
        // New processes may start between the query of the count and the next call.
        for (int attempt = 0; attempt < TRIES && capacity <= MAX_CAPACITY; attempt++) {
            var count = arena.allocate(JAVA_INT);
            count.set(JAVA_INT, 0, capacity);
            var entries = arena.allocate(WIDEST_ENTRY_BYTES * capacity, Long.BYTES);
            int status = nvml.call(function, device, count.address(), entries.address());
            int returned = count.get(JAVA_INT, 0);
            if (status == Nvml.SUCCESS) {
                return returned < 0 || returned > capacity
                        ? Optional.empty()
                        : listed(entries, returned, entryBytes);
            }
            if (status != Nvml.INSUFFICIENT_SIZE) {
                return Optional.empty();
            }
            capacity = Math.max(returned, capacity) * 2;
        }
        return Optional.empty();
    }

    /**
     * Some drivers (535.43 to 535.86) returned larger entries than specified for version 3; a pid
     * of 0 reveals that.
     */
    private static Optional<List<ListedProcess>> listed(
            MemorySegment entries, int count, long entryBytes) {
        var listed = new ArrayList<ListedProcess>(count);
        for (int i = 0; i < count; i++) {
            long pid = Integer.toUnsignedLong(entries.get(JAVA_INT, i * entryBytes));
            if (pid == 0) {
                return Optional.empty();
            }
            listed.add(new ListedProcess(pid, entries.get(JAVA_LONG, i * entryBytes + MEMORY_AT)));
        }
        return Optional.of(listed);
    }
}
