package dev.berth.node;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Signal;
import dev.berth.node.process.Liveness;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessTable;
import dev.berth.node.process.Signals;
import dev.berth.node.process.Sweep;
import dev.berth.port.read.LeftoverProcesses.LeftoverProcess;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** With real processes, all started and ended by the test itself. */
class LocalLeftoversTest {

    private static final String HOME = "strays" + ProcessHandle.current().pid();
    private static final AttemptId OVER = new AttemptId(new TaskId(7), 1);
    private static final AttemptId OTHER = new AttemptId(new TaskId(8), 2);

    @TempDir Path directory;
    private final List<ProcessKey> started = new ArrayList<>();
    private final Signals signals = new Signals(true);
    private final LocalLeftovers strays =
            new LocalLeftovers(
                    HOME,
                    new ProcessTable(HOME),
                    new Sweep(signals, System::nanoTime),
                    Duration.ofMillis(300),
                    owners());

    private static AttemptOwners owners() {
        try {
            return new AttemptOwners(Path.of("/nowhere"), false);
        } catch (IOException e) {
            throw new AssertionError("/proc cannot be read", e);
        }
    }

    @AfterEach
    void end() throws IOException {
        for (var process : started) {
            signals.send(process, Signal.KILL);
        }
    }

    @Test
    void findsWhatCarriesAMarkerOfThisHomeAndEndsThatAttemptAlone() throws Exception {
        var before = Instant.now().minusSeconds(2);
        var stray = orphan(new Marker(HOME, OVER.toString()), "exec sleep 600");
        var deaf =
                orphan(
                        new Marker(HOME, OVER.toString()),
                        "trap '' TERM; while :; do sleep 1; done");
        var live = orphan(new Marker(HOME, OTHER.toString()), "exec sleep 600");
        var foreign = orphan(new Marker("another", OVER.toString()), "exec sleep 600");
        var plain = orphan(new Marker(HOME, "no-attempt"), "exec sleep 600");

        assertThat(strays.attempts()).containsExactly(OVER, OTHER);
        assertThat(strays.of(OVER))
                .extracting(LeftoverProcess::pid)
                .contains(stray.pid(), deaf.pid());
        assertThat(strays.of(OVER))
                .extracting(LeftoverProcess::pid)
                .doesNotContain(live.pid(), foreign.pid(), plain.pid());
        var listed = strays.of(OVER).stream().filter(one -> one.pid() == stray.pid()).toList();
        assertThat(listed.getFirst().program()).isEqualTo("sleep");
        assertThat(listed.getFirst().attempt()).isEqualTo(OVER);
        assertThat(listed.getFirst().since()).isBetween(before, Instant.now().plusSeconds(2));

        assertThat(strays.end(OVER))
                .extracting(LeftoverProcess::pid)
                .contains(stray.pid(), deaf.pid());

        assertThat(isAlive(stray) || isAlive(deaf)).isFalse();
        assertThat(isAlive(live) && isAlive(foreign) && isAlive(plain)).isTrue();
        assertThat(strays.attempts()).containsExactly(OTHER);
        assertThat(strays.of(OVER)).isEmpty();
    }

    @Test
    void aTmuxServerIsSpared() throws Exception {
        var marker = new Marker(HOME, OVER.toString());
        // The name of a process is what it calls itself.
        var server =
                orphan(
                        marker,
                        "printf 'tmux: server' >/proc/$BASHPID/comm; while :; do sleep 1; done");
        eventually(
                "it has its name",
                () -> Proc.stat(server.pid()).orElseThrow().program().equals("tmux: server"));

        assertThat(strays.of(OVER)).isEmpty();
        assertThat(strays.end(OVER)).isEmpty();
        assertThat(isAlive(server)).isTrue();
    }

    @Test
    void reportsWhetherAPidIsAliveAndItsAttempt() throws Exception {
        var stray = orphan(new Marker(HOME, OVER.toString()), "exec sleep 600");
        var foreign = orphan(new Marker("another", OVER.toString()), "exec sleep 600");

        assertThat(strays.isAlive(stray.pid())).isTrue();
        assertThat(strays.attemptOf(stray.pid())).contains(OVER);
        assertThat(strays.isAlive(foreign.pid())).isTrue();
        assertThat(strays.attemptOf(foreign.pid())).isEmpty();
        assertThat(strays.isAlive(0)).isFalse();
        assertThat(strays.isAlive(Long.MAX_VALUE)).isFalse();

        signals.send(stray, Signal.KILL);
        eventually("nobody has its number", () -> !strays.isAlive(stray.pid()));
        assertThat(strays.attemptOf(stray.pid())).isEmpty();
    }

    /** An orphan, as an abnormal end leaves it. */
    private ProcessKey orphan(Marker marker, String script) throws Exception {
        var file = directory.resolve("pid" + started.size());
        var builder =
                new ProcessBuilder(
                        "/bin/bash",
                        "-c",
                        "setsid bash -c 'echo $$ >" + file + "; " + quoted(script) + "' &");
        builder.environment().put(Marker.VARIABLE, marker.value());
        builder.redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile());
        assertThat(builder.start().waitFor()).isZero();
        long pid =
                present(
                        "its number",
                        () ->
                                Files.exists(file) && Files.readString(file).endsWith("\n")
                                        ? Optional.of(Long.valueOf(Files.readString(file).strip()))
                                        : Optional.empty());
        var key = Proc.key(Proc.bootId(), pid).orElseThrow();
        started.add(key);
        if (script.startsWith("exec sleep")) {
            eventually("it sleeps", () -> Proc.stat(pid).orElseThrow().program().equals("sleep"));
        }
        return key;
    }

    private static String quoted(String script) {
        return script.replace("'", "'\\''");
    }

    private static boolean isAlive(ProcessKey key) {
        return Proc.liveness(key) == Liveness.ALIVE;
    }
}
