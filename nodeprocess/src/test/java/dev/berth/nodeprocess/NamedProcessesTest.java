package dev.berth.nodeprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.read.AttemptProcesses;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

class NamedProcessesTest {

    private static final AttemptId ID = AttemptId.parse("1.1");

    private final AttemptProcesses none =
            new AttemptProcesses() {
                @Override
                public List<SeenProcess> alive(AttemptId attempt) {
                    return List.of();
                }

                @Override
                public Optional<SeenProcess> named(long pid) {
                    return Optional.empty();
                }
            };

    private final NamedProcesses named = new NamedProcesses(Path.of("/tasks"), none);

    private static ShimProcess process(long pid) {
        return new ShimProcess(new ProcessKey("boot", pid, 1), Instant.EPOCH);
    }

    private static Attempt running(ShimProcess process) {
        return new Attempt(
                ID, "local", 1, "boot", List.of(), Instant.EPOCH, new Phase.Running(process));
    }

    @Test
    void aLivingProcessThatIsNoShimIsNotAdopted() {
        var attempt = named.checked(running(process(ProcessHandle.current().pid())));
        assertThat(attempt.phase()).isEqualTo(new Phase.Starting());
    }

    @Test
    void aProcessThatIsGoneStaysRecorded() {
        var gone = running(process(Integer.MAX_VALUE));
        assertThat(named.checked(gone)).isEqualTo(gone);
    }

    @Test
    void onlyAProcessThatIsFoundIsWatched() {
        assertThat(named.isOf(ID, process(1))).isFalse();
    }
}
