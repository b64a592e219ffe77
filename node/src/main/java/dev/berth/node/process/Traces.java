package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;

import java.nio.file.Path;
import java.util.Optional;

/**
 * By what an attempt's processes are known.
 *
 * @param shim empty where nobody knows which process it was, as after a crash before it could write
 *     that down
 * @param cgroup its own, where it has one; then membership is the kernel's word and the rest is not
 *     asked
 */
public record Traces(Marker marker, Optional<ProcessKey> shim, Optional<Path> cgroup) {}
