package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The test of one GPU before it returns to use: it must give good readings for some time, and then
 * pass a test run. Any problem in between restarts the time. Reads no clock.
 */
final class GpuRecovery {

    /** Required number of good readings and the time they must span. */
    static final int READINGS = 3;

    static final Duration GOOD_FOR = Duration.ofSeconds(3);

    private final GpuId gpu;
    private final long startedAt;
    private final Duration timeout;
    private int index;
    private boolean isInUse;
    private int goodReadings;
    private long firstGoodAt;
    private long lastGoodAt;
    private int round;
    private TestRun testRun = TestRun.WAITING;
    private Optional<String> problem = Optional.of("it has not been read since");
    private Optional<String> failure = Optional.empty();

    private enum TestRun {
        WAITING,
        RUNNING,
        PASSED
    }

    /** The next action. */
    sealed interface RecoveryStep {
        record Wait() implements RecoveryStep {}

        /**
         * Test whether the GPU computes.
         *
         * @param round identifies this test run
         */
        record StartTestRun(int index, int round) implements RecoveryStep {}

        record Passed() implements RecoveryStep {}

        record Failed(String why) implements RecoveryStep {}
    }

    GpuRecovery(GpuId gpu, Duration timeout, long now) {
        this.gpu = gpu;
        this.timeout = timeout;
        this.startedAt = now;
    }

    GpuId gpu() {
        return gpu;
    }

    long startedAt() {
        return startedAt;
    }

    private Optional<String> problemOf(GpuState state) {
        state.currentReading()
                .ifPresent(
                        reading -> {
                            index = state.gpu().index();
                            isInUse = isInUse(reading);
                        });
        var hasMemory = state.currentReading().filter(it -> it.usedMib().isPresent()).isPresent();
        return state.unreadable()
                .or(() -> hasMemory ? Optional.empty() : Optional.of("its memory cannot be read"));
    }

    /**
     * @param requestedAt when the reading was requested
     */
    void onReading(Optional<GpuState> state, long requestedAt, long now) {
        if (requestedAt - startedAt < 0) {
            return;
        }
        var newProblem =
                state.map(this::problemOf)
                        .orElseGet(() -> Optional.of("the driver does not list it"));
        if (newProblem.isPresent()) {
            addProblem(newProblem.get());
            return;
        }
        if (goodReadings++ == 0) {
            firstGoodAt = now;
        }
        lastGoodAt = now;
    }

    private static boolean isInUse(GpuReading reading) {
        return reading.processes().orElse(List.of()).stream()
                .anyMatch(process -> process.kind() == GpuProcess.Kind.COMPUTE);
    }

    /** Records a problem. */
    void addProblem(String why) {
        problem = Optional.of(why);
        goodReadings = 0;
        round++;
        if (testRun == TestRun.PASSED) {
            testRun = TestRun.WAITING;
        }
    }

    /** A test run has ended. Its result is ignored if a problem occurred while it ran. */
    void testEnded(int testRound, Optional<String> testFailure) {
        testRun = testRound == round && testFailure.isEmpty() ? TestRun.PASSED : TestRun.WAITING;
        failure = testRound == round ? testFailure : Optional.empty();
    }

    /**
     * @param driverWarning of the driver about the health of the GPU
     */
    RecoveryStep next(Optional<String> driverWarning, long now) {
        if (failure.isPresent()) {
            return new RecoveryStep.Failed(failure.get());
        }
        if (testRun == TestRun.RUNNING) {
            return new RecoveryStep.Wait();
        }
        boolean isGood = goodReadings >= READINGS && lastGoodAt - firstGoodAt >= GOOD_FOR.toNanos();
        if (isGood && driverWarning.isEmpty()) {
            // A process that computes there must not be disturbed, and proves that the GPU
            // computes.
            if (testRun == TestRun.PASSED || isInUse) {
                return new RecoveryStep.Passed();
            }
            testRun = TestRun.RUNNING;
            return new RecoveryStep.StartTestRun(index, round);
        }
        if (now - startedAt >= timeout.toNanos()) {
            return new RecoveryStep.Failed(
                    isGood ? driverWarning.get() : lastProblem(driverWarning));
        }
        return new RecoveryStep.Wait();
    }

    private String lastProblem(Optional<String> driverWarning) {
        return problem.filter(_ -> goodReadings == 0)
                .or(() -> driverWarning)
                .or(() -> problem)
                .orElse("it did not answer well for " + GOOD_FOR.toSeconds() + " s");
    }
}
