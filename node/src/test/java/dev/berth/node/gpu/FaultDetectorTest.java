package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuFault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Detection of unreliable GPUs, reading by reading, with a clock set by the test. */
class FaultDetectorTest {

    private static final PciAddress PLACE = new PciAddress(0, 6, 0);
    private static final GpuHealth WELL = health(3, false, false);

    private final FaultDetector signs = new FaultDetector();

    @Test
    void onlyErrorsAfterTheFirstReadingAreFaults() {
        assertThat(look(WELL, 0)).isEmpty();
        assertThat(look(WELL, 10)).isEmpty();
        assertThat(look(health(5, false, false), 20))
                .singleElement()
                .satisfies(sign -> assertThat(sign.kind()).isEqualTo(GpuFault.Kind.ECC))
                .satisfies(sign -> assertThat(sign.why()).contains("2 uncorrected"));
        assertThat(look(health(5, false, false), 30)).as("told").isEmpty();
        assertThat(look(health(0, false, false), 40)).as("the driver was reloaded").isEmpty();
        assertThat(look(health(1, false, false), 50)).hasSize(1);
    }

    @Test
    void aNewPendingRepairIsOneFaultAndAnOldOneIsNone() {
        assertThat(look(health(3, true, false), 0)).isEmpty();
        assertThat(look(WELL, 10)).isEmpty();
        assertThat(look(health(3, true, false), 20)).hasSize(1);
        assertThat(look(health(3, true, false), 30)).isEmpty();
        assertThat(signs.problem("GPU-1", at(25))).isPresent();
    }

    @Test
    void aFailedRepairIsAlwaysAFault() {
        assertThat(look(health(0, false, true), 0)).hasSize(1);
        assertThat(look(health(0, false, true), 10)).isEmpty();
    }

    @Test
    void aMissingErrorCountDoesNotHideARise() {
        look(WELL, 0);
        var silent =
                new GpuHealth(
                        "GPU-1",
                        Optional.of(PLACE),
                        OptionalLong.empty(),
                        false,
                        false,
                        false,
                        Optional.empty());
        assertThat(look(silent, 10)).isEmpty();
        assertThat(look(health(4, false, false), 20)).hasSize(1);
    }

    @Test
    void lastingHeatIsAFaultOncePerPeriod() {
        assertThat(look(hot(), 0)).isEmpty();
        assertThat(look(hot(), 10)).isEmpty();
        assertThat(look(hot(), 20)).as("three looks over 20 s").isEmpty();
        assertThat(look(hot(), 30))
                .singleElement()
                .satisfies(sign -> assertThat(sign.kind()).isEqualTo(GpuFault.Kind.HOT));
        assertThat(look(hot(), 40)).isEmpty();
        assertThat(signs.problem("GPU-1", at(40))).isPresent();
        look(WELL, 50);
        assertThat(signs.problem("GPU-1", at(50))).isEmpty();
        look(hot(), 60);
        assertThat(look(hot(), 100)).as("two looks over 40 s").isEmpty();
        assertThat(look(hot(), 110)).hasSize(1);
    }

    @Test
    void aRequestedResetIsAFaultAndADrainIsNot() {
        look(WELL, 0);
        assertThat(look(asking("Drain and Reset"), 10)).isEmpty();
        assertThat(look(asking("Reset"), 20))
                .singleElement()
                .satisfies(sign -> assertThat(sign.kind()).isEqualTo(GpuFault.Kind.XID))
                .satisfies(sign -> assertThat(sign.why()).contains("Reset"));
        assertThat(look(asking("Reset"), 30)).isEmpty();
        assertThat(signs.problem("GPU-1", at(30)).orElseThrow()).contains("Reset");
    }

    @ParameterizedTest
    @ValueSource(ints = {79, 74, 119, 120, 62, 143})
    void hardwareErrorsAreFaults(int number) {
        assertThat(signs.onXid("GPU-1", number, at(0)).orElseThrow())
                .satisfies(sign -> assertThat(sign.kind()).isEqualTo(GpuFault.Kind.XID))
                .satisfies(sign -> assertThat(sign.why()).startsWith("Xid " + number + ": "));
    }

    @ParameterizedTest
    @ValueSource(ints = {48, 64, 94, 95, 140})
    void memoryErrorsAreFaults(int number) {
        assertThat(signs.onXid("GPU-1", number, at(0)).orElseThrow().kind())
                .isEqualTo(GpuFault.Kind.ECC);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 13, 31, 32, 43, 45, 63, 68, 69, 92, 154, 4711})
    void programErrorsAndUnknownXidsAreNoFaults(int number) {
        assertThat(signs.onXid("GPU-1", number, at(0))).isEmpty();
    }

    @Test
    void aRepeatedXidIsOneFaultUntilTheGpuIsTested() {
        look(WELL, 0);
        assertThat(signs.uuidAt(PLACE)).contains("GPU-1");
        assertThat(signs.onXid("GPU-1", 79, at(1))).isPresent();
        assertThat(signs.onXid("GPU-1", 79, at(2))).isEmpty();
        assertThat(signs.onXid("GPU-2", 79, at(2))).as("another card").isPresent();
        assertThat(signs.onXid("GPU-1", 48, at(2))).as("another error").isPresent();
        signs.reset("GPU-1");
        assertThat(signs.onXid("GPU-1", 79, at(3))).isPresent();
        assertThat(signs.onXid("GPU-1", 79, at(602))).isEmpty();
        assertThat(signs.onXid("GPU-1", 79, at(604))).as("ten minutes later").isPresent();
    }

    @Test
    void onlyALaterHealthReadingClearsAGpu() {
        assertThat(signs.problem("GPU-1", at(0))).as("nobody can look").isEmpty();
        look(WELL, 0);
        assertThat(signs.problem("GPU-1", at(5)).orElseThrow()).contains("could not be read");
        look(WELL, 6);
        assertThat(signs.problem("GPU-1", at(5))).isEmpty();
    }

    private List<FaultDetector.DetectedFault> look(GpuHealth health, long second) {
        return signs.onHealth(List.of(health), at(second), at(second));
    }

    private static GpuHealth health(long uncorrected, boolean isPending, boolean isFailed) {
        return new GpuHealth(
                "GPU-1",
                Optional.of(PLACE),
                OptionalLong.of(uncorrected),
                isPending,
                isFailed,
                false,
                Optional.empty());
    }

    private static GpuHealth hot() {
        return new GpuHealth(
                "GPU-1",
                Optional.of(PLACE),
                OptionalLong.of(3),
                false,
                false,
                true,
                Optional.empty());
    }

    private static GpuHealth asking(String remedy) {
        return new GpuHealth(
                "GPU-1",
                Optional.of(PLACE),
                OptionalLong.of(3),
                false,
                false,
                false,
                Optional.of(remedy));
    }

    private static long at(long second) {
        return TimeUnit.SECONDS.toNanos(second) - 5;
    }
}
