package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What identifies the processes of an attempt.
 *
 * @param shim empty if unknown, for example after a crash before the shim could write its identity
 * @param cgroup of the attempt, if it has one; then only the cgroup decides membership
 * @param user the uid of its processes; empty if unknown: then only its shim belongs
 * @param isOnlyOfUser no other attempt of this user runs here, so an orphan of this user that a
 *     task left is this attempt's
 */
public record AttemptTraces(
        Marker marker,
        Optional<ProcessKey> shim,
        Optional<Path> cgroup,
        OptionalLong user,
        boolean isOnlyOfUser) {

    /** Of an attempt whose command runs as the user of this process. */
    static AttemptTraces ofOwnUser(Marker marker, Optional<ProcessKey> shim, Optional<Path> cgroup)
            throws IOException {
        return new AttemptTraces(
                marker, shim, cgroup, OptionalLong.of(Proc.userIdOfThisProcess()), false);
    }
}
