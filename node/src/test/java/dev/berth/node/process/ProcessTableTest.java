package dev.berth.node.process;

import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Signal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Runs alone, because it resets the kernel's pid counter: other tests would take a reused pid for a
 * process that is gone.
 */
@Isolated
class ProcessTableTest {
    private static final Path LAST_PID = Path.of("/proc/sys/kernel/ns_last_pid");
    private static final Marker OWN = new Marker("h", "1.1");

    @TempDir Path directory;
    private final ProcessTable table = new ProcessTable("h");

    @Test
    void seesWhatStartedSinceAndForgetsWhatEnded() throws IOException {
        try (var started = new StartedProcesses(directory)) {
            var key = started.bash("exec sleep 1000");
            assertThat(pids(key.startTick())).contains(key.pid());
            assertThat(pids(key.startTick() + 1)).doesNotContain(key.pid());
            end(key);

            assertThat(pids(key.startTick())).doesNotContain(key.pid());
        }
    }

    /** The assumption behind the table: a reused pid can be recognised. */
    @Test
    void tellsAProcessFromTheNextOneWithItsPid() throws IOException {
        assumeTrue(Files.isWritable(LAST_PID), "pids can be chosen here");
        try (var started = new StartedProcesses(directory)) {
            // Repeated from the start, because another process may have taken the pid and keep it.
            var second = present("a process with the pid of an earlier one", () -> next(started));

            assertThat(pids(second.startTick())).contains(second.pid());
        }
    }

    /**
     * A process with the pid of another that the table has seen; empty if a third process took the
     * pid first.
     */
    private Optional<ProcessKey> next(StartedProcesses started) throws IOException {
        var first = started.bash("exec sleep 1000");
        assertThat(pids(first.startTick())).contains(first.pid());
        end(first);
        started.awaitTickAfter(first);
        Files.writeString(LAST_PID, Long.toString(first.pid() - 1));
        var second = started.bash("exec sleep 1000");
        return Optional.of(second).filter(it -> it.pid() == first.pid());
    }

    private static void end(ProcessKey process) throws IOException {
        new Signals(true).send(process, Signal.KILL);
        present(
                "reaped",
                () ->
                        ChildProcess.reap(process.pid())
                                .filter(ChildProcess.Status.Signalled.class::isInstance));
    }

    private List<Long> pids(long since) throws IOException {
        return table.startedSince(since, OWN).stream().map(seen -> seen.stat().pid()).toList();
    }
}
