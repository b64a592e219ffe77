package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** The test of one GPU before it returns to use, with a clock set by the test. */
class GpuRecoveryTest {

    private static final Gpu CARD = new Gpu(new GpuId("here", "A"), 3, "A100", 1000);
    private static final Optional<String> NOTHING = Optional.empty();

    private final GpuRecovery trial = new GpuRecovery(CARD.id(), Duration.ofSeconds(30), at(0));

    @Test
    void aGpuIsTestedAfterThreeGoodSecondsAndPasses() {
        well(1);
        well(2);
        well(3);
        assertThat(trial.next(NOTHING, at(3))).isEqualTo(new GpuRecovery.RecoveryStep.Wait());
        well(4);
        var step = trial.next(NOTHING, at(4));
        assertThat(step).isEqualTo(new GpuRecovery.RecoveryStep.StartTestRun(3, 0));
        assertThat(trial.next(NOTHING, at(100)))
                .as("it is out")
                .isEqualTo(new GpuRecovery.RecoveryStep.Wait());
        trial.testEnded(0, Optional.empty());
        assertThat(trial.next(NOTHING, at(100))).isEqualTo(new GpuRecovery.RecoveryStep.Passed());
    }

    @Test
    void aGpuInUseIsNotTested() {
        var theirs =
                new GpuProcess(
                        9,
                        OptionalLong.of(500),
                        GpuProcess.Kind.COMPUTE,
                        "python",
                        new ProcessOwner.HostUser("bob", false),
                        Optional.empty());
        for (int second = 1; second <= 4; second++) {
            var busy =
                    ((GpuState.Readable) readable())
                            .reading()
                            .withProcesses(Optional.of(List.of(theirs)));
            trial.onReading(Optional.of(new GpuState.Readable(CARD, busy)), at(second), at(second));
        }
        assertThat(trial.next(NOTHING, at(4))).isEqualTo(new GpuRecovery.RecoveryStep.Passed());
    }

    @Test
    void fastReadingsAloneDoNotPassAndOldOnesDoNotCount() {
        trial.onReading(Optional.of(readable()), at(0) - 1, at(1));
        for (int i = 0; i < 40; i++) {
            well(2);
        }
        well(4);
        assertThat(trial.next(NOTHING, at(4))).isEqualTo(new GpuRecovery.RecoveryStep.Wait());
        well(5);
        assertThat(trial.next(NOTHING, at(5)))
                .isInstanceOf(GpuRecovery.RecoveryStep.StartTestRun.class);
    }

    @Test
    void aGpuThatStaysUnreadableFailsItsTest() {
        for (int second = 1; second < 30; second++) {
            trial.onReading(Optional.of(new GpuState.Failed(CARD, "gone")), at(second), at(second));
            assertThat(trial.next(NOTHING, at(second)))
                    .isEqualTo(new GpuRecovery.RecoveryStep.Wait());
        }
        assertThat(trial.next(NOTHING, at(30)))
                .isEqualTo(new GpuRecovery.RecoveryStep.Failed("gone"));
    }

    @Test
    void aHealthProblemPreventsTheReturn() {
        for (int second = 1; second < 30; second++) {
            well(second);
            assertThat(trial.next(Optional.of("hot"), at(second)))
                    .isEqualTo(new GpuRecovery.RecoveryStep.Wait());
        }
        assertThat(trial.next(Optional.of("hot"), at(30)))
                .isEqualTo(new GpuRecovery.RecoveryStep.Failed("hot"));
    }

    @Test
    void aProblemRestartsTheTestEvenDuringTheTestRun() {
        well(1);
        well(2);
        well(5);
        assertThat(trial.next(NOTHING, at(5)))
                .isEqualTo(new GpuRecovery.RecoveryStep.StartTestRun(3, 0));
        trial.addProblem("Xid 79");
        trial.testEnded(0, Optional.of("it crashed"));
        assertThat(trial.next(NOTHING, at(6))).isEqualTo(new GpuRecovery.RecoveryStep.Wait());
        well(7);
        well(8);
        well(10);
        assertThat(trial.next(NOTHING, at(10)))
                .isEqualTo(new GpuRecovery.RecoveryStep.StartTestRun(3, 1));
        trial.testEnded(1, Optional.of("it crashed"));
        assertThat(trial.next(NOTHING, at(11)))
                .isEqualTo(new GpuRecovery.RecoveryStep.Failed("it crashed"));
    }

    @Test
    void aGpuWithoutMemoryReadingIsNotGood() {
        var silent =
                new GpuReading(
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalInt.of(1),
                        OptionalInt.of(1));
        for (int second = 1; second <= 9; second++) {
            trial.onReading(
                    Optional.of(new GpuState.Readable(CARD, silent)), at(second), at(second));
        }
        assertThat(trial.next(NOTHING, at(9))).isEqualTo(new GpuRecovery.RecoveryStep.Wait());
        assertThat(trial.next(NOTHING, at(30)))
                .isEqualTo(new GpuRecovery.RecoveryStep.Failed("its memory cannot be read"));
    }

    private void well(long second) {
        trial.onReading(Optional.of(readable()), at(second), at(second));
    }

    private static GpuState readable() {
        return new GpuState.Readable(
                CARD,
                new GpuReading(
                        OptionalLong.of(0),
                        OptionalLong.of(1000),
                        OptionalInt.of(0),
                        OptionalInt.of(30)));
    }

    private static long at(long second) {
        return TimeUnit.SECONDS.toNanos(second) - 5;
    }
}
