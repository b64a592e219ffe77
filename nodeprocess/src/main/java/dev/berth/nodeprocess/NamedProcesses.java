package dev.berth.nodeprocess;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.read.AttemptProcesses;
import dev.berth.port.read.LeftoverProcesses.ProcessTableUnreadable;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Checks processes that the server names as those of an attempt. The node signals them as root, so
 * a process of anybody else must not be among them.
 *
 * @param tasks the directory that contains the task directories
 */
record NamedProcesses(Path tasks, AttemptProcesses found) {

    private static final Logger log = LoggerFactory.getLogger(NamedProcesses.class);

    /**
     * Without its process, if that is not its shim: then its files and the process table decide.
     */
    Attempt checked(Attempt attempt) {
        var named = attempt.phase().shimProcess();
        if (named.isEmpty() || mayBeShim(attempt.id(), named.get())) {
            return attempt;
        }
        log.warn(
                "attempt={} the server names process {}, which is not its shim",
                attempt.id(),
                named.get().key().pid());
        return new Attempt(
                attempt.id(),
                attempt.node(),
                attempt.epoch(),
                attempt.bootId(),
                attempt.claims(),
                attempt.scheduledAt(),
                new Phase.Starting(),
                attempt.scriptReport(),
                attempt.findings(),
                attempt.worker());
    }

    /** A process that is gone cannot be signalled; its key tells it from a later one. */
    private boolean mayBeShim(AttemptId id, ShimProcess process) {
        try {
            var line = Files.readAllBytes(Path.of("/proc/" + process.key().pid() + "/cmdline"));
            var words = new String(line, StandardCharsets.UTF_8).split("\0", -1);
            return line.length == 0 || Arrays.asList(words).contains(runScript(id).toString());
        } catch (IOException gone) {
            return true;
        }
    }

    private Path runScript(AttemptId id) {
        return tasks.resolve("task_" + id.task())
                .resolve("attempts")
                .resolve(Integer.toString(id.number()))
                .resolve("run.sh");
    }

    /** True if the process is one that the node finds for the attempt itself. */
    boolean isOf(AttemptId id, ShimProcess process) {
        try {
            boolean isFound =
                    found.alive(id).stream()
                            .anyMatch(seen -> seen.process().key().equals(process.key()));
            if (!isFound) {
                log.warn(
                        "attempt={} the server names process {}, which does not belong to it",
                        id,
                        process.key().pid());
            }
            return isFound;
        } catch (ProcessTableUnreadable unreadable) {
            log.warn("attempt={} its processes cannot be read", id, unreadable);
            return false;
        }
    }
}
