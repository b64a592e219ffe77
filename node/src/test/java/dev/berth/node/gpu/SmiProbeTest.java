package dev.berth.node.gpu;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessStat;
import dev.berth.testkit.Script;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

class SmiProbeTest {

    private static final String CARD = "0, GPU-1, A100, 100, 10, 80, 5, 30, Disabled";

    @TempDir private Path folder;

    @Test
    void queriesGpusAndProcesses() throws Exception {
        var probe =
                probe(
                        """
                        case "$1" in
                        --query-gpu=*) echo '%s' ;;
                        --query-compute-apps=*) echo 'GPU-1, 7, 5, python' ;;
                        esac
                        """
                                .formatted(CARD));
        var row = probe.read().getFirst();
        assertThat(row.reading().freeMib()).hasValue(80);
        assertThat(row.reading().processes().orElseThrow().getFirst().pid()).isEqualTo(7);
    }

    @Test
    void gpusAreReadIfProcessesCannotBeListed() throws Exception {
        var probe = probe("[[ $1 == --query-gpu=* ]] && echo '" + CARD + "' || exit 3");
        assertThat(probe.read().getFirst().reading().processes()).isEmpty();
    }

    @Test
    void aFailingProgramReportsItsStatus() throws Exception {
        var probe = probe("echo 'couldn'\"'\"'t talk to the driver'; exit 9");
        assertThatThrownBy(probe::read)
                .isInstanceOf(ProbeFailure.class)
                .hasMessageContaining("ended with 9")
                .hasMessageContaining("talk to the driver");
        assertThatThrownBy(() -> new SmiProbe(folder.resolve("absent")).read())
                .isInstanceOf(ProbeFailure.class)
                .hasMessageContaining("cannot be run");
    }

    @Test
    void aHangingProgramIsKilledWithItsChildren() throws Exception {
        var pids = folder.resolve("pids");
        var probe = probe("echo $$ >> " + pids + "\nsleep 60 &\necho $! >> " + pids + "\nwait");
        assertThatThrownBy(probe::read)
                .isInstanceOf(ProbeFailure.class)
                .hasMessageContaining("did not answer");
        for (var pid : Files.readAllLines(pids)) {
            eventually(
                    "pid " + pid + " is gone",
                    () -> Proc.stat(Long.parseLong(pid)).filter(ProcessStat::isAlive).isEmpty());
        }
    }

    @Test
    void endlessOutputIsStopped() throws Exception {
        var probe = probe("exec yes '" + CARD + "'");
        assertThatThrownBy(probe::read)
                .isInstanceOf(ProbeFailure.class)
                .hasMessageContaining("without end");
    }

    private SmiProbe probe(String script) {
        return new SmiProbe(Script.write(folder.resolve("nvidia-smi"), "#!/bin/bash\n" + script));
    }
}
