package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What identifies the processes of an attempt.
 *
 * @param shim empty if unknown, for example after a crash before the shim could write its identity
 * @param cgroup of the attempt, if it has one; then only the cgroup decides membership
 */
public record AttemptTraces(Marker marker, Optional<ProcessKey> shim, Optional<Path> cgroup) {}
