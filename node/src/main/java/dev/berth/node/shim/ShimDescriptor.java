package dev.berth.node.shim;

import dev.berth.core.task.ProcessKey;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The descriptor from which a shim reads its {@code run.sh}. Bash always uses this number, and so
 * does the native shim. The script can be read through it even after the file was removed.
 */
public record ShimDescriptor(Path path) {

    private static final int SCRIPT_DESCRIPTOR = 255;
    private static final int MAX_BYTES = 4 << 20;
    private static final int NAMES_WITHIN_TASKS = 4;
    private static final String REMOVED = " (deleted)";

    public static ShimDescriptor of(ProcessKey shim) {
        return new ShimDescriptor(
                Path.of("/proc", Long.toString(shim.pid()), "fd", "" + SCRIPT_DESCRIPTOR));
    }

    public boolean isScriptRemoved() {
        try {
            return Files.readSymbolicLink(path).toString().endsWith(REMOVED);
        } catch (IOException ended) {
            return false;
        }
    }

    /**
     * The script that the shim runs, if it is the one of the same attempt in another home. A home
     * that was copied while tasks ran has the records of processes of the original. Directories are
     * compared by device and inode, so a move of the home changes nothing.
     */
    public Optional<Path> scriptOfOtherHome(Path own) {
        try {
            var link = Files.readSymbolicLink(path);
            return link.endsWith(withinTasks(own)) && !Files.isSameFile(tasks(link), tasks(own))
                    ? Optional.of(link)
                    : Optional.empty();
        } catch (IOException unknown) {
            return Optional.empty();
        }
    }

    /** {@code task_7/attempts/1/run.sh}. */
    private static Path withinTasks(Path script) {
        int names = script.getNameCount();
        return script.subpath(Math.max(0, names - NAMES_WITHIN_TASKS), names);
    }

    private static Path tasks(Path script) {
        return script.resolve("../".repeat(NAMES_WITHIN_TASKS)).normalize();
    }

    /** The script; empty if the process has ended or may not be examined. */
    public Optional<String> script() {
        try (var in = Files.newInputStream(path)) {
            return Optional.of(new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
