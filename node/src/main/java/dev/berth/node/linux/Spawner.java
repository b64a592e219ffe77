package dev.berth.node.linux;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Starts a program that is independent of this process: in its own session, with default signals,
 * /dev/null as input, a file as output and error output, and no inherited descriptors.
 */
public interface Spawner {

    /** The descriptor at which {@link SpawnRequest#exitRecord} is open in the started program. */
    int EXIT_RECORD_DESCRIPTOR = 48;

    Spawned spawn(SpawnRequest order) throws IOException;

    /**
     * {@link PosixSpawner} if the C library is new enough (glibc 2.34), otherwise {@link
     * SetsidSpawner}, which works everywhere.
     */
    static Spawner forThisHost() {
        return PosixSpawner.find().<Spawner>map(fast -> fast).orElseGet(SetsidSpawner::new);
    }

    /**
     * @param command a program by its absolute path, and its arguments
     * @param log is appended to, and created with mode 0600 if it is missing
     * @param exitRecord an existing file that the program may overwrite from its beginning; each
     *     write is on the disk when it returns. Only if {@link #opensExitRecord}
     * @param environment all variables as {@code NAME=value}; empty for those of this process
     * @param cgroup the directory of the control group that the program starts in; empty for that
     *     of this process. Only if {@link #entersCgroups}
     * @param input what the program reads; empty for /dev/null. Only if {@link #opensExitRecord}
     */
    record SpawnRequest(
            List<String> command,
            Path log,
            Optional<Path> exitRecord,
            Optional<List<String>> environment,
            Optional<Path> cgroup,
            Optional<Connection> input) {
        public SpawnRequest {
            command = List.copyOf(command);
            environment = environment.map(List::copyOf);
        }

        /** Without input. */
        public SpawnRequest(
                List<String> command,
                Path log,
                Optional<Path> exitRecord,
                Optional<List<String>> environment,
                Optional<Path> cgroup) {
            this(command, log, exitRecord, environment, cgroup, Optional.empty());
        }

        /** With the environment and the control group of this process. */
        public SpawnRequest(List<String> command, Path log, Optional<Path> exitRecord) {
            this(command, log, exitRecord, Optional.empty(), Optional.empty());
        }
    }

    /** True if a program can start in another control group: without the cost of a move. */
    boolean entersCgroups();

    /** True if the started program finds its record and its input already open. */
    boolean opensExitRecord();

    /**
     * @param isChild this process has to reap it; until then its pid is not reused
     */
    record Spawned(long pid, boolean isChild) {}
}
