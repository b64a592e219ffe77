package dev.berth.node.process;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Signal;
import dev.berth.node.process.ProcessSet.Member;
import dev.berth.node.process.ProcessSet.Spared;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Ways in which a process can escape its parent. The "shim" of each test is a bash process that
 * waits.
 */
class ProcessSetTest {
    private static final String HOME = "home" + ProcessHandle.current().pid();
    private static final Marker MARKER = new Marker(HOME, "7.1");

    private static final int ROUNDS = 100;

    @TempDir Path directory;
    private StartedProcesses started;
    private final ProcessTable table = new ProcessTable(HOME);

    @BeforeEach
    void open() {
        started = new StartedProcesses(directory);
    }

    @AfterEach
    void close() throws IOException {
        started.close();
    }

    @Test
    void holdsTheShimAndItsDescendants() throws IOException {
        var shim = shim("(%s) & wait", "child");
        var child = started.named("child");

        assertThat(keys(set(shim))).containsExactlyInAnyOrder(shim, child);
        assertThat(set(shim).scan().members().stream().filter(Member::isShim).map(Member::key))
                .containsExactly(shim);
    }

    @Test
    void findsAnOrphanInAnotherSessionByItsMarker() throws IOException {
        var shim =
                shim(
                        "export BERTH_ATTEMPT="
                                + MARKER.value()
                                + "; setsid --fork bash -c '%s' & wait",
                        "stray");
        var stray = started.named("stray");
        // Until then two processes carry the marker: setsid is a child of the shim.
        eventually("its parent is gone", () -> parentOfParent(stray) != shim.pid());

        assertThat(keys(set(shim))).contains(stray);
        assertThat(
                        keys(
                                new ProcessSet(
                                        AttemptTraces.ofOwnUser(
                                                MARKER, Optional.empty(), Optional.empty()),
                                        table)))
                .as("also when nobody knows the shim")
                .containsExactly(stray);
    }

    @Test
    void findsAnOrphanWithoutItsEnvironmentByItsSession() throws IOException {
        var shim = shim("((%s) & ) & wait; read x <>/dev/null; sleep 1000", "orphan");
        var orphan = started.named("orphan");
        eventually("an orphan", () -> Proc.stat(orphan.pid()).orElseThrow().parent() != shim.pid());

        assertThat(Proc.variable(orphan.pid(), Marker.VARIABLE).value()).isEmpty();
        assertThat(keys(set(shim))).contains(orphan);
    }

    @Test
    void aDescendantWithoutMarkerOrSessionBelongs() throws IOException {
        var shim = shim("env -i setsid bash -c '%s' & wait", "lone");
        var lone = started.named("lone");

        assertThat(keys(set(shim))).contains(lone);
    }

    @Test
    void aProcessThatBelongedStaysAMember() throws IOException {
        var shim = shim("env -i setsid bash -c '%s' & wait", "lone");
        var lone = started.named("lone");
        var set = set(shim);
        assertThat(keys(set)).contains(lone);
        new Signals(true).send(shim, Signal.KILL);
        eventually("the shim is gone", () -> !StartedProcesses.isAlive(shim));
        dev.berth.node.linux.ChildProcess.reap(shim.pid());

        assertThat(keys(set)).containsExactly(lone);
        assertThat(keys(set(shim))).as("no trace is left for one who has not seen it").isEmpty();
    }

    @Test
    void aZombieShimStillHoldsItsSession() throws IOException {
        var shim = shim("(%s) & read x <>/dev/null; exit 0", "left");
        var left = started.named("left");
        eventually("the shim has ended", () -> !StartedProcesses.isAlive(shim));

        assertThat(keys(set(shim))).containsExactly(left);
    }

    @Test
    void anUncertainSessionIsReportedAndSpared() throws IOException {
        var shim = shim("(%s) & exit 0", "left");
        var left = started.named("left");
        eventually("the shim has ended", () -> !StartedProcesses.isAlive(shim));
        dev.berth.node.linux.ChildProcess.reap(shim.pid());

        var view = set(shim).scan();
        assertThat(view.members()).isEmpty();
        assertThat(view.spared())
                .singleElement()
                .satisfies(
                        spared -> {
                            assertThat(spared.process().key()).isEqualTo(left);
                            assertThat(spared.why())
                                    .isEqualTo(Spared.SpareReason.UNCERTAIN_SESSION);
                        });
    }

    @Test
    void aMarkedProcessProvesTheSession() throws IOException {
        var shim =
                shim(
                        "(BERTH_ATTEMPT="
                                + MARKER.value()
                                + " bash -c '"
                                + stay("marked")
                                + "' & %s) & exit 0",
                        "plain");
        var marked = started.named("marked");
        var plain = started.named("plain");
        eventually("the shim has ended", () -> !StartedProcesses.isAlive(shim));
        dev.berth.node.linux.ChildProcess.reap(shim.pid());

        assertThat(keys(set(shim))).containsExactlyInAnyOrder(marked, plain);
    }

    @Test
    void otherAttemptsOtherHomesAndOlderProcessesDoNotBelong() throws IOException {
        var older =
                started.bash(
                        "cd "
                                + directory
                                + "; export BERTH_ATTEMPT="
                                + MARKER.value()
                                + "; "
                                + stay("older"));
        started.named("older");
        started.awaitTickAfter(older);
        var shim = shim("%s", "shim");
        started.named("shim");
        var otherAttempt = marked(new Marker(HOME, "7.2"), "attempt");
        var otherHome = marked(new Marker("other" + HOME, "7.1"), "home");

        assertThat(keys(set(shim))).containsExactly(shim);
        assertThat(keys(set(shim))).as("again, from memory").containsExactly(shim);
        assertThat(List.of(otherAttempt, otherHome, older)).allMatch(StartedProcesses::isAlive);
    }

    /** While a program is being loaded, its environment is not readable. */
    @Test
    void doesNotMissAnOrphanThatIsJustLoadingItsProgram() throws Exception {
        for (var round = 0; round < ROUNDS; round++) {
            var marker = new Marker(HOME, "9." + round);
            var shim =
                    started.bash(
                            "export BERTH_ATTEMPT=%s; setsid env sleep 1000 & :"
                                    .formatted(marker.value()));
            eventually("the shim has ended", () -> !StartedProcesses.isAlive(shim));
            var traces = AttemptTraces.ofOwnUser(marker, Optional.of(shim), Optional.empty());
            var members = new ProcessSet(traces, table).scan().members();

            assertThat(members).as("round %d", round).hasSize(1);
            new Signals(true).send(members.getFirst().key(), Signal.KILL);
        }
    }

    @Test
    void neverBerthItself() throws IOException {
        var self = Proc.key(StartedProcesses.BOOT, ProcessHandle.current().pid()).orElseThrow();

        assertThat(keys(set(self))).doesNotContain(self);
    }

    @Test
    void sparesATmuxServerAndWhatRunsInIt() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/tmux")), "tmux is installed");
        var socket = directory.resolve("tmux.sock");
        var shim =
                shim(
                        "export BERTH_ATTEMPT="
                                + MARKER.value()
                                + "; tmux -S "
                                + socket
                                + " new-session -d \"bash -c '"
                                + stay("inside").replace("$", "\\$")
                                + "'\"; %s",
                        "own");
        started.named("own");
        var inside = started.named("inside");
        try {
            var view = set(shim).scan();
            assertThat(view.members()).extracting(Member::key).containsExactly(shim);
            assertThat(view.spared()).extracting(Spared::why).containsOnly(Spared.SpareReason.TMUX);
            assertThat(view.spared())
                    .extracting(spared -> spared.process().program())
                    .contains("tmux: server");
            assertThat(view.spared()).extracting(spared -> spared.process().key()).contains(inside);
        } finally {
            new ProcessBuilder("tmux", "-S", socket.toString(), "kill-server").start().waitFor();
        }
    }

    private static long parentOfParent(ProcessKey key) throws IOException {
        var parent = Proc.stat(key.pid()).orElseThrow().parent();
        return Proc.stat(parent).map(ProcessStat::parent).orElse(0L);
    }

    private ProcessKey marked(Marker marker, String name) throws IOException {
        started.bash(
                "cd "
                        + directory
                        + "; export BERTH_ATTEMPT="
                        + marker.value()
                        + "; bash -c '"
                        + stay(name)
                        + "'; :");
        return started.named(name);
    }

    private ProcessKey shim(String script, String name) throws IOException {
        return started.bash("cd " + directory + "; " + script.formatted(stay(name)));
    }

    /** Prints its pid and waits. */
    private static String stay(String name) {
        return "echo $BASHPID >%s; exec sleep 1000".formatted(name);
    }

    private ProcessSet set(ProcessKey shim) throws IOException {
        return new ProcessSet(
                AttemptTraces.ofOwnUser(MARKER, Optional.of(shim), Optional.empty()), table);
    }

    private static List<ProcessKey> keys(ProcessSet set) throws IOException {
        return set.scan().members().stream().map(Member::key).toList();
    }
}
