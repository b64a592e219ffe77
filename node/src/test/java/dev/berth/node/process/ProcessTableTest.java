package dev.berth.node.process;

import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Child;
import dev.berth.node.linux.Signal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Alone, because it turns back the kernel's counter of pids: others take a pid for gone. */
@Isolated
class ProcessTableTest {
    private static final Path LAST_PID = Path.of("/proc/sys/kernel/ns_last_pid");
    private static final Marker OWN = new Marker("h", "1.1");

    @TempDir Path directory;
    private final ProcessTable table = new ProcessTable("h");

    @Test
    void seesWhatStartedSinceAndForgetsWhatEnded() throws IOException {
        try (var started = new Started(directory)) {
            var key = started.bash("exec sleep 1000");
            assertThat(pids(key.startTick())).contains(key.pid());
            assertThat(pids(key.startTick() + 1)).doesNotContain(key.pid());
            end(key);

            assertThat(pids(key.startTick())).doesNotContain(key.pid());
        }
    }

    /** What the table rests on: a pid that went to another process is seen to have done so. */
    @Test
    void tellsAProcessFromTheNextOneWithItsPid() throws IOException {
        assumeTrue(Files.isWritable(LAST_PID), "pids can be chosen here");
        try (var started = new Started(directory)) {
            // Anew each time: whoever else took the pid may keep it.
            var second = present("a process with the pid of an earlier one", () -> next(started));

            assertThat(pids(second.startTick())).contains(second.pid());
        }
    }

    /**
     * One that has the pid of another, which the table has seen; empty where somebody was quicker.
     */
    private Optional<ProcessKey> next(Started started) throws IOException {
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
                () -> Child.reap(process.pid()).filter(Child.Status.Signalled.class::isInstance));
    }

    private List<Long> pids(long since) throws IOException {
        return table.startedSince(since, OWN).stream().map(seen -> seen.stat().pid()).toList();
    }
}
