package dev.berth.core.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EndingTest {

    private static final String OOM =
            "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB";

    @Test
    void onlyACommandThatRanHasADiagnosis() {
        assertThat(new Ending.Vanished().diagnose(OOM)).isPresent();
        assertThat(new Ending.Exited(1).diagnose(OOM)).isPresent();
        assertThat(new Ending.Exited(0).diagnose(OOM)).isEmpty();
        assertThat(new Ending.NeverStarted().diagnose(OOM)).isEmpty();
        assertThat(new Ending.LaunchFailed("no").diagnose(OOM)).isEmpty();
        assertThat(new Ending.StartTimedOut("no").diagnose(OOM)).isEmpty();
        assertThat(new Ending.MachineRestarted().diagnose(OOM)).isEmpty();
    }
}
