package dev.berth.node.process;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Signal;
import dev.berth.node.process.ExitWatcher.ProcessEnd;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

class ExitWatcherTest {
    @TempDir Path directory;

    /** The test that uses it opens it, so that none is left open. */
    interface Kind {
        ExitWatcher open() throws IOException;
    }

    static Stream<Kind> kinds() {
        return Stream.of(ExitWatcher::start, () -> new PollingExitWatcher(Duration.ofMillis(2)));
    }

    @Test
    void exitsAreNotPolledHere() throws IOException {
        try (var watcher = ExitWatcher.start()) {
            assertThat(watcher.isPolling()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void reportsHowAChildEndedAndKeepsItsPidUntilClosed(Kind kind) throws Exception {
        try (var watcher = kind.open();
                var started = new StartedProcesses(directory)) {
            var ends = new LinkedBlockingQueue<ProcessEnd>();
            var key = started.bash("exit 7");
            try (var _ = watcher.watch(key, ends::add)) {
                assertThat(next(ends)).isEqualTo(new ProcessEnd.Exited(7));
                assertThat(Proc.stat(key.pid())).as("a zombie keeps the pid").isPresent();
            }
            assertThat(Proc.stat(key.pid())).as("reaped").isEmpty();
            assertThat(ends).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void reportsTheSignal(Kind kind) throws Exception {
        try (var watcher = kind.open();
                var started = new StartedProcesses(directory)) {
            var ends = new LinkedBlockingQueue<ProcessEnd>();
            var key = started.bash("exec sleep 100");
            try (var _ = watcher.watch(key, ends::add)) {
                new Signals(true).send(key, Signal.KILL);
                assertThat(next(ends)).isEqualTo(new ProcessEnd.Signalled(9));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void reportsTheEndOfAnUnrelatedProcess(Kind kind) throws Exception {
        try (var watcher = kind.open();
                var started = new StartedProcesses(directory)) {
            var ends = new LinkedBlockingQueue<ProcessEnd>();
            started.bash("cd " + directory + "; (sleep 100 & echo $! >orphan)");
            var orphan = started.named("orphan");
            try (var _ = watcher.watch(orphan, ends::add)) {
                new Signals(true).send(orphan, Signal.KILL);
                assertThat(next(ends)).isEqualTo(new ProcessEnd.Unknown());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void reportsImmediatelyIfAlreadyEnded(Kind kind) throws Exception {
        try (var watcher = kind.open()) {
            var ends = new LinkedBlockingQueue<ProcessEnd>();
            var self = Proc.key(StartedProcesses.BOOT, ProcessHandle.current().pid()).orElseThrow();
            var other = new ProcessKey(self.bootId(), self.pid(), self.startTick() + 1);
            try (var _ = watcher.watch(other, ends::add)) {
                assertThat(next(ends)).isEqualTo(new ProcessEnd.Unknown());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void reportsNothingAfterClose(Kind kind) throws Exception {
        try (var watcher = kind.open();
                var started = new StartedProcesses(directory)) {
            var ends = new LinkedBlockingQueue<ProcessEnd>();
            var key = started.bash("exec sleep 100");
            watcher.watch(key, ends::add).close();
            new Signals(true).send(key, Signal.KILL);
            eventually("it ended", () -> !StartedProcesses.isAlive(key));
            var later = started.bash("exit 0");
            try (var _ = watcher.watch(later, ends::add)) {
                assertThat(next(ends)).isEqualTo(new ProcessEnd.Exited(0));
            }
            assertThat(ends).isEmpty();
        }
    }

    @Test
    void watchesManyAtOnce() throws Exception {
        try (var watcher = ExitWatcher.start();
                var started = new StartedProcesses(directory)) {
            var ends = new LinkedBlockingQueue<ProcessEnd>();
            var watches = new ArrayList<ExitWatcher.Watch>();
            for (var i = 0; i < 50; i++) {
                watches.add(watcher.watch(started.bash("exit 0"), ends::add));
            }
            for (var i = 0; i < 50; i++) {
                assertThat(next(ends)).isEqualTo(new ProcessEnd.Exited(0));
            }
            for (var watch : watches) {
                watch.close();
            }
        }
    }

    @Test
    void aThrowingListenerDoesNotAffectOthers() throws Exception {
        try (var watcher = ExitWatcher.start();
                var started = new StartedProcesses(directory)) {
            var ends = new LinkedBlockingQueue<ProcessEnd>();
            var seen = new LinkedBlockingQueue<String>();
            var keys = List.of(started.bash("exit 0"), started.bash("exit 0"));
            try (var _ =
                            watcher.watch(
                                    keys.getFirst(),
                                    _ -> {
                                        seen.add("thrown");
                                        throw new IllegalStateException("on purpose");
                                    });
                    var _ = watcher.watch(keys.getLast(), ends::add)) {
                assertThat(seen.poll(3, TimeUnit.MINUTES)).isEqualTo("thrown");
                assertThat(next(ends)).isEqualTo(new ProcessEnd.Exited(0));
            }
        }
    }

    private static ProcessEnd next(BlockingQueue<ProcessEnd> ends) throws InterruptedException {
        var end = ends.poll(3, TimeUnit.MINUTES);
        assertThat(end).as("an end was reported").isNotNull();
        return end;
    }
}
