package dev.berth.node.linux;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Starts a program that owes nothing to this one: in a session of its own, with default signals,
 * /dev/null as its input, a file as its output and errors, the environment of this process, and no
 * other descriptor of it.
 */
public interface Spawner {

    /** The descriptor at which {@link Order#record} is open in the started program. */
    int RECORD_DESCRIPTOR = 48;

    Spawned spawn(Order order) throws IOException;

    /**
     * The fast one where the C library is new enough for it (glibc 2.34), else the one that works
     * anywhere.
     */
    static Spawner ofThisMachine() {
        return PosixSpawner.find().<Spawner>map(fast -> fast).orElseGet(SetsidSpawner::new);
    }

    /**
     * @param command a program by its absolute path, and its arguments
     * @param log is appended to, and made with mode 0600 where it is missing
     * @param record an existing file that the program may overwrite from its beginning, each write
     *     of which is on the disk when it returns; only where {@link #opensRecord}
     */
    record Order(List<String> command, Path log, Optional<Path> record) {
        public Order {
            command = List.copyOf(command);
        }
    }

    /** Whether the program finds its record open. */
    boolean opensRecord();

    /**
     * @param isChild it is ours to reap: until then its pid stays taken
     */
    record Spawned(long pid, boolean isChild) {}
}
