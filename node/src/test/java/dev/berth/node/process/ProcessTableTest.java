package dev.berth.node.process;

import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.node.linux.Child;
import dev.berth.node.linux.Signal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

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
            new Signals(true).send(key, Signal.KILL);
            present(
                    "reaped",
                    () -> Child.reap(key.pid()).filter(Child.Status.Signalled.class::isInstance));

            assertThat(pids(key.startTick())).doesNotContain(key.pid());
        }
    }

    /** What the table rests on: a pid that went to another process is seen to have done so. */
    @Test
    void tellsAProcessFromTheNextOneWithItsPid() throws IOException {
        assumeTrue(Files.isWritable(LAST_PID), "pids can be chosen here");
        try (var started = new Started(directory)) {
            var first = started.bash("exec sleep 1000");
            assertThat(pids(first.startTick())).contains(first.pid());
            new Signals(true).send(first, Signal.KILL);
            present(
                    "reaped",
                    () -> Child.reap(first.pid()).filter(Child.Status.Signalled.class::isInstance));
            var second =
                    present(
                            "a process with the pid of the first",
                            () -> {
                                Files.writeString(LAST_PID, Long.toString(first.pid() - 1));
                                var key = started.bash("exec sleep 1000");
                                return Optional.of(key).filter(k -> k.pid() == first.pid());
                            });
            assertThat(second.startTick())
                    .as("later than the first")
                    .isGreaterThan(first.startTick());

            assertThat(pids(second.startTick())).contains(second.pid());
        }
    }

    private List<Long> pids(long since) throws IOException {
        return table.startedSince(since, OWN).stream().map(seen -> seen.stat().pid()).toList();
    }
}
