package dev.berth.node.card;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The lists of processes of one device. Drivers have up to three functions for each list; the
 * newest that answers sensibly is believed.
 */
record NvmlProcesses(Nvml nvml, Arena arena, long device) {

    /** {@code nvmlProcessInfo_t} since the second form: pid, padding, bytes, two instance ids. */
    private static final long ENTRY_BYTES = 24;

    /** {@code nvmlProcessInfo_v1_t}: pid, padding, bytes. */
    private static final long OLD_ENTRY_BYTES = 16;

    /** Room for drivers that write more than they should, see {@link #listed}. */
    private static final long WIDEST_ENTRY_BYTES = 64;

    private static final long MEMORY_AT = 8;
    private static final int FIRST_ROOM = 64;
    private static final int MOST_ROOM = 65_536;
    private static final int TRIES = 4;

    /** All ones in {@code bytes}: not available. */
    record Listed(long pid, long bytes) {}

    private record Form(String suffix, long entryBytes) {}

    private static final List<Form> FORMS =
            List.of(
                    new Form("_v3", ENTRY_BYTES),
                    new Form("_v2", ENTRY_BYTES),
                    new Form("", OLD_ENTRY_BYTES));

    Optional<List<Listed>> read(String function) {
        for (var form : FORMS) {
            if (nvml.has(function + form.suffix())) {
                var listed = read(function + form.suffix(), form.entryBytes());
                if (listed.isPresent()) {
                    return listed;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<List<Listed>> read(String function, long entryBytes) {
        int room = FIRST_ROOM;
        // Processes may come between being told how many there are and asking again.
        for (int attempt = 0; attempt < TRIES && room <= MOST_ROOM; attempt++) {
            var count = arena.allocate(JAVA_INT);
            count.set(JAVA_INT, 0, room);
            var entries = arena.allocate(WIDEST_ENTRY_BYTES * room, Long.BYTES);
            int status = nvml.call(function, device, count.address(), entries.address());
            int told = count.get(JAVA_INT, 0);
            if (status == Nvml.SUCCESS) {
                return told < 0 || told > room
                        ? Optional.empty()
                        : listed(entries, told, entryBytes);
            }
            if (status != Nvml.INSUFFICIENT_SIZE) {
                return Optional.empty();
            }
            room = Math.max(told, room) * 2;
        }
        return Optional.empty();
    }

    /**
     * A few drivers (535.43 to 535.86) answered the third form with wider entries than they should;
     * a pid of 0 gives that away.
     */
    private static Optional<List<Listed>> listed(
            MemorySegment entries, int count, long entryBytes) {
        var listed = new ArrayList<Listed>(count);
        for (int i = 0; i < count; i++) {
            long pid = Integer.toUnsignedLong(entries.get(JAVA_INT, i * entryBytes));
            if (pid == 0) {
                return Optional.empty();
            }
            listed.add(new Listed(pid, entries.get(JAVA_LONG, i * entryBytes + MEMORY_AT)));
        }
        return Optional.of(listed);
    }
}
