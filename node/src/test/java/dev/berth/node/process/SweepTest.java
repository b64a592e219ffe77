package dev.berth.node.process;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Signal;
import dev.berth.node.process.ProcessSet.Member;
import dev.berth.node.process.Sweep.SweepLimits;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

class SweepTest {
    private static final String HOME = "sweep" + ProcessHandle.current().pid();
    private static final Marker MARKER = new Marker(HOME, "7.1");
    private static final SweepLimits PATIENT =
            new SweepLimits(Duration.ofSeconds(60), Duration.ofSeconds(60));
    private static final SweepLimits BRISK =
            new SweepLimits(Duration.ofMillis(100), Duration.ofSeconds(60));

    @TempDir Path directory;
    private StartedProcesses started;
    private final Sweep sweep = new Sweep(new Signals(true), System::nanoTime);

    @BeforeEach
    void open() {
        started = new StartedProcesses(directory);
    }

    @AfterEach
    void close() throws IOException {
        started.close();
    }

    @Test
    void termEndsProcessesAndTheShimEndsByItself() throws Exception {
        var shim = shim("trap : TERM; %s & wait; wait; echo recorded >record", "child");
        var child = started.named("child");

        var report = sweep.run(set(shim), PATIENT);

        assertThat(report.stuck()).isEmpty();
        assertThat(report.ended()).extracting(Member::key).containsExactly(child);
        assertThat(directory.resolve("record")).hasContent("recorded\n");
        assertThat(StartedProcesses.isAlive(child) || StartedProcesses.isAlive(shim)).isFalse();
    }

    @Test
    void killsProcessesThatIgnoreTermAfterTheGraceTime() throws Exception {
        var shim =
                shim(
                        "export BERTH_ATTEMPT=%s; setsid sleep 600 & nohup sleep 600 & (trap '' TERM; %%s) & wait"
                                .formatted(MARKER.value()),
                        "deaf");
        var deaf = started.named("deaf");

        var begin = System.nanoTime();
        var report = sweep.run(set(shim), BRISK);

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(BRISK.termGrace());
        assertThat(report.stuck()).isEmpty();
        assertThat(report.ended())
                .hasSizeGreaterThanOrEqualTo(3)
                .extracting(Member::key)
                .contains(deaf);
        assertThat(StartedProcesses.isAlive(deaf) || StartedProcesses.isAlive(shim)).isFalse();
    }

    @Test
    void wakesAStoppedProcessSoThatItCanEnd() throws Exception {
        var shim = shim("trap : TERM; %s & wait; wait", "child");
        var child = started.named("child");
        // The Signal enum has no STOP, so a shell sends it.
        started.bash("kill -STOP " + child.pid());
        eventually("it is stopped", () -> Proc.stat(child.pid()).orElseThrow().isStopped());

        var begin = System.nanoTime();
        assertThat(sweep.run(set(shim), PATIENT).stuck()).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("it was not killed")
                .isLessThan(PATIENT.termGrace());
        assertThat(StartedProcesses.isAlive(child)).isFalse();
    }

    @Test
    void endsProcessesThatKeepStartingOthers() throws Exception {
        var script =
                "export BERTH_ATTEMPT=%s; f() { trap '' TERM; while :; do (setsid sleep 600 &); sleep 0.01; done; }; f & %%s"
                        .formatted(MARKER.value());
        var shim = shim(script, "ready");
        started.named("ready");

        assertThat(sweep.run(set(shim), BRISK).stuck()).isEmpty();
        assertThat(
                        new ProcessSet(
                                        AttemptTraces.ofOwnUser(
                                                MARKER, Optional.empty(), Optional.empty()),
                                        new ProcessTable(HOME))
                                .scan()
                                .members())
                .isEmpty();
    }

    @Test
    void reportsStuckProcesses() throws Exception {
        var shim = shim("%s", "ready");
        started.named("ready");

        var report = sweep.run(set(shim), new SweepLimits(Duration.ZERO, Duration.ZERO));

        assertThat(report.stuck()).extracting(Member::key).containsExactly(shim);
        assertThat(report.ended()).isEmpty();
    }

    @Test
    void returnsImmediatelyForAnEmptySet() throws Exception {
        var shim = shim("exit 0", "none");
        eventually("it ended", () -> !StartedProcesses.isAlive(shim));

        var report = sweep.run(set(shim), PATIENT);

        assertThat(report)
                .isEqualTo(
                        new Sweep.Report(
                                java.util.List.of(), java.util.List.of(), java.util.List.of()));
    }

    @Test
    void neverSignalsAProcessThatIsNotTheOne() throws IOException {
        for (var signals : new Signals[] {new Signals(true), new Signals(false)}) {
            var key = started.bash("exec sleep 1000");
            var earlier = new ProcessKey(key.bootId(), key.pid(), key.startTick() - 1);
            var elsewhere = new ProcessKey("another-boot", key.pid(), key.startTick());

            assertThat(signals.send(earlier, Signal.KILL)).isFalse();
            assertThat(signals.send(elsewhere, Signal.KILL)).isFalse();
            assertThat(StartedProcesses.isAlive(key)).isTrue();
            assertThat(signals.send(key, Signal.KILL)).isTrue();
            eventually("it ended", () -> !StartedProcesses.isAlive(key));
        }
    }

    private ProcessKey shim(String script, String name) throws IOException {
        Files.deleteIfExists(directory.resolve(name));
        var stay = "bash -c 'echo $BASHPID >%s; exec sleep 1000'".formatted(name);
        return started.bash("cd " + directory + "; " + script.formatted(stay));
    }

    private ProcessSet set(ProcessKey shim) throws IOException {
        return new ProcessSet(
                AttemptTraces.ofOwnUser(MARKER, Optional.of(shim), Optional.empty()),
                new ProcessTable(HOME));
    }
}
