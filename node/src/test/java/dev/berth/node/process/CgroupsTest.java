package dev.berth.node.process;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.node.process.ProcessSet.Member;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

class CgroupsTest {
    @TempDir Path directory;

    @Test
    void cgroupFindsProcessesWithoutOtherTraces() throws Exception {
        var cgroups = Cgroups.find();
        assumeTrue(cgroups.isPresent(), "this process may make cgroups");
        var group = cgroups.get().create("berth-test-" + ProcessHandle.current().pid());
        try (var started = new StartedProcesses(directory)) {
            var shim =
                    started.bash(
                            "cd %s; echo 0 >%s || exit 1; env -i setsid --fork bash -c 'echo $$ >lone; exec sleep 1000'; exit 0"
                                    .formatted(directory, Cgroups.procsFile(group)));
            var lone = started.named("lone");
            eventually("the shim is gone", () -> !StartedProcesses.isAlive(shim));
            dev.berth.node.linux.ChildProcess.reap(shim.pid());
            var traces =
                    AttemptTraces.ofOwnUser(
                            new Marker("h", "7.1"), Optional.of(shim), Optional.of(group));
            var set = new ProcessSet(traces, new ProcessTable("h"));

            assertThat(set.scan().members()).extracting(Member::key).containsExactly(lone);
            var limits = new Sweep.SweepLimits(Duration.ofSeconds(20), Duration.ofSeconds(20));
            var report = new Sweep(new Signals(true), System::nanoTime).run(set, limits);
            assertThat(report.ended()).extracting(Member::key).containsExactly(lone);
        } finally {
            eventually("the kernel lets the group go", () -> removed(group));
        }
        assertThat(group).doesNotExist();
    }

    @Test
    void aNameIsAName() throws IOException {
        var cgroups = Cgroups.find();
        assumeTrue(cgroups.isPresent(), "this process may make cgroups");

        for (var name : new String[] {"../x", "a/b", "", ".", "..", "a b"}) {
            assertThatThrownBy(() -> cgroups.get().create(name))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void autoUsesCgroupsOnlyIfFast() throws IOException {
        var here = Cgroups.find();

        assertThat(ProcessTracking.MARKER.choose(here, true)).isEmpty();
        assertThat(ProcessTracking.AUTO.choose(here, false))
                .isEqualTo(here.filter(Cgroups::isFast));
        assertThat(ProcessTracking.AUTO.choose(here, true)).isEqualTo(here);
        assertThatThrownBy(() -> ProcessTracking.CGROUP.choose(Optional.empty(), true))
                .hasMessageContaining("process_tracking");
    }

    private static boolean removed(Path group) {
        try {
            Cgroups.remove(group);
            return true;
        } catch (IOException busy) {
            return false;
        }
    }
}
