package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.Phase;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Measured use for known profiles, with a clock set by the test. */
class GpuUseTrackerTest {

    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);
    private static final AttemptId TWO = new AttemptId(new TaskId(2), 1);

    private final NodeAttempts holders = new NodeAttempts();
    private final GpuUseTracker tallies = new GpuUseTracker(holders);

    @Test
    void aReadingCountsUntilTheNext() {
        holds(ONE, "A");
        tallies.onReading(List.of(card("A", 10, own(ONE, 100))), at(0));
        tallies.onReading(List.of(card("A", 90, own(ONE, 300))), at(1000));
        tallies.onReading(List.of(card("A", 40, own(ONE, 200))), at(2000));
        assertThat(tallies.useOf(ONE, at(4000)))
                .contains(
                        new GpuConsumption(
                                300,
                                200,
                                OptionalInt.of(90),
                                OptionalInt.of(45),
                                Duration.ofSeconds(4)));
    }

    @Test
    void aCallUsesWhatItsWorkerUsesMeanwhile() {
        holds(ONE, "A");
        tallies.onReading(List.of(card("A", 10, own(ONE, 500))), at(0));
        holders.callStarted(TWO, ONE);
        assertThat(tallies.useOf(TWO, at(500))).isEmpty();
        tallies.onReading(List.of(card("A", 90, own(ONE, 300))), at(1000));

        assertThat(tallies.useOf(TWO, at(2000)))
                .contains(
                        new GpuConsumption(
                                300,
                                300,
                                OptionalInt.of(90),
                                OptionalInt.of(90),
                                Duration.ofSeconds(1)));
        assertThat(tallies.dueForSave(Duration.ZERO, at(2000))).containsOnlyKeys(ONE);
    }

    /** The memory that it allocates counts the work: eight times the GPUs, not 64 times as much. */
    @Test
    void theWorkOfAReadingGrowsWithTheGpusAndNotWithTheirSquare() {
        work(100);
        assertThat(work(800)).isLessThan(20 * work(100));
    }

    private static long work(int gpus) {
        var holders = new NodeAttempts();
        var tracker = new GpuUseTracker(holders);
        var states = new ArrayList<GpuState>();
        for (int gpu = 0; gpu < gpus; gpu++) {
            var id = new AttemptId(new TaskId(gpu + 1), 1);
            holds(holders, id, "GPU-" + gpu);
            states.add(card("GPU-" + gpu, 10, own(id, 500)));
        }
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        tracker.onReading(states, 0);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void peakIsPerGpuAndMeanOverAllGpus() {
        holds(ONE, "A", "B");
        tallies.onReading(
                List.of(
                        card("A", 100, own(ONE, 300), own(ONE, 100)),
                        card("B", 50, own(ONE, 200)),
                        card("C", 7, own(TWO, 900))),
                at(0));
        assertThat(tallies.useOf(ONE, at(1000)).orElseThrow())
                .isEqualTo(
                        new GpuConsumption(
                                400,
                                300,
                                OptionalInt.of(100),
                                OptionalInt.of(75),
                                Duration.ofSeconds(1)));
    }

    @Test
    void useIsMeasuredFromTheFirstTimeOnAGpu() {
        holds(ONE, "A");
        tallies.onReading(List.of(card("A", 0)), at(0));
        assertThat(tallies.useOf(ONE, at(500))).isEmpty();
        tallies.onReading(List.of(card("A", 0, own(ONE, 80))), at(60_000));
        tallies.onReading(List.of(card("A", 0)), at(61_000));
        assertThat(tallies.useOf(ONE, at(62_000)).orElseThrow())
                .satisfies(used -> assertThat(used.meanMib()).isEqualTo(40))
                .satisfies(used -> assertThat(used.measuredTime()).hasSeconds(2));
        tallies.remove(ONE);
        assertThat(tallies.useOf(ONE, at(62_000))).isEmpty();
    }

    @Test
    void aSingleReadingIsTheMean() {
        holds(ONE, "A");
        tallies.onReading(List.of(card("A", 30, own(ONE, 80))), at(0));
        assertThat(tallies.useOf(ONE, at(0)).orElseThrow())
                .satisfies(used -> assertThat(used.meanMib()).isEqualTo(80))
                .satisfies(used -> assertThat(used.meanPercent()).hasValue(30))
                .satisfies(used -> assertThat(used.measuredTime()).isPositive());
    }

    @Test
    void unreadableTimeIsNotCounted() {
        holds(ONE, "A");
        tallies.onReading(List.of(card("A", 50, own(ONE, 100))), at(0));
        tallies.onReading(List.of(unknown("A")), at(1000));
        tallies.onReading(List.of(card("A", 50, own(ONE, 100))), at(90_000));
        assertThat(tallies.useOf(ONE, at(91_000)).orElseThrow().measuredTime()).hasSeconds(2);
        assertThat(tallies.useOf(ONE, at(3_000_000)).orElseThrow().measuredTime())
                .as("a suspended machine")
                .hasSeconds(7);
    }

    @Test
    void gpuMemoryCountsAsOwnOnlyIfTheAttemptIsAlone() {
        holds(ONE, "A");
        tallies.onReading(List.of(card("A", 10, silent(ONE))), at(0));
        assertThat(tallies.useOf(ONE, at(1000)).orElseThrow().peakMib())
                .as("all of it")
                .isEqualTo(7);

        var foreign = new ProcessOwner.HostUser("mei", false);
        tallies.remove(ONE);
        tallies.onReading(List.of(card("A", 10, silent(ONE), occupant(foreign, 5))), at(2000));
        assertThat(tallies.useOf(ONE, at(3000)).orElseThrow())
                .satisfies(used -> assertThat(used.measuredTime()).isZero())
                .satisfies(used -> assertThat(used.meanPercent()).hasValue(10));

        holds(TWO, "A");
        tallies.remove(ONE);
        tallies.onReading(List.of(card("A", 10, silent(ONE))), at(4000));
        assertThat(tallies.useOf(ONE, at(5000)).orElseThrow().measuredTime()).isZero();
    }

    @Test
    void withoutProcessListMemoryIsAttributedToTheHolder() {
        holds(ONE, "A");
        tallies.onReading(List.of(readable("A", 10, Optional.empty())), at(0));
        assertThat(tallies.useOf(ONE, at(1000)).orElseThrow().peakMib()).isEqualTo(7);
    }

    @Test
    void theNextServerContinuesFromTheSavedUse(@TempDir Path folder) throws Exception {
        holds(ONE, "A");
        tallies.onReading(List.of(card("A", 20, own(ONE, 100))), at(0));
        assertThat(tallies.dueForSave(GpuUseTracker.SAVE_INTERVAL, at(9999))).isEmpty();
        for (int second = 1; second <= 10; second++) {
            tallies.onReading(List.of(card("A", 20, own(ONE, 100))), at(1000L * second));
        }
        var due = tallies.dueForSave(GpuUseTracker.SAVE_INTERVAL, at(10_000));
        assertThat(tallies.dueForSave(GpuUseTracker.SAVE_INTERVAL, at(10_001))).isEmpty();
        var file = new GpuUseFile(folder.resolve("consumption"));
        assertThat(file.read()).isEmpty();
        file.write(due.get(ONE));
        assertThat(Files.getPosixFilePermissions(file.path())).hasSize(2);

        var next = new GpuUseTracker(holders);
        next.resume(ONE, file.read().orElseThrow(), at(50_000));
        next.onReading(List.of(card("A", 80, own(ONE, 400))), at(60_000));
        assertThat(next.useOf(ONE, at(65_000)).orElseThrow())
                .isEqualTo(
                        new GpuConsumption(
                                400,
                                200,
                                OptionalInt.of(80),
                                OptionalInt.of(40),
                                Duration.ofSeconds(15)));
        Files.writeString(file.path(), "1 2 three 4 5 6 7");
        assertThat(file.read()).isEmpty();
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void pipesAndLinksInPlaceOfItsFileAreNeitherReadNorWritten(@TempDir Path folder)
            throws Exception {
        var file = new GpuUseFile(folder.resolve("consumption"));
        assertThat(new ProcessBuilder("mkfifo", file.path().toString()).start().waitFor()).isZero();
        assertThat(file.read()).isEmpty();
        Files.delete(file.path());
        var elsewhere = Files.writeString(folder.resolve("elsewhere"), "1 2 3 4 5 6 7");
        Files.createSymbolicLink(file.path(), elsewhere);
        assertThat(file.read()).isEmpty();

        Files.createSymbolicLink(folder.resolve("consumption.new"), elsewhere);
        var tally =
                new GpuUse(
                        new GpuUse.TimeWeightedSum(7, 6, 5), new GpuUse.TimeWeightedSum(4, 3, 2));
        file.write(tally);
        assertThat(file.read()).contains(tally);
        assertThat(elsewhere).hasContent("1 2 3 4 5 6 7");
    }

    private void holds(AttemptId attempt, String... uuids) {
        holds(holders, attempt, uuids);
    }

    private static void holds(NodeAttempts holders, AttemptId attempt, String... uuids) {
        var claims =
                Stream.of(uuids).map(uuid -> new Claim(new GpuId("here", uuid), 0, true)).toList();
        holders.assign(
                new Attempt(
                        attempt, "here", 1, "boot", claims, Instant.EPOCH, new Phase.Starting()));
    }

    /** With 7 MiB in use, and the given load. */
    private static GpuState card(String uuid, int percent, GpuProcess... there) {
        return readable(uuid, percent, Optional.of(List.of(there)));
    }

    private static GpuState readable(
            String uuid, int percent, Optional<List<GpuProcess>> occupants) {
        return new GpuState.Readable(
                new Gpu(new GpuId("here", uuid), 0, "A100", 1000),
                new GpuReading(
                        OptionalLong.of(7),
                        OptionalLong.of(993),
                        OptionalInt.of(percent),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        occupants));
    }

    private static GpuState unknown(String uuid) {
        return new GpuState.Unknown(new Gpu(new GpuId("here", uuid), 0, "A100", 1000), "so");
    }

    private static GpuProcess own(AttemptId attempt, long mib) {
        return occupant(new ProcessOwner.BerthAttempt(attempt), mib);
    }

    private static GpuProcess silent(AttemptId attempt) {
        return occupant(new ProcessOwner.BerthAttempt(attempt), -1);
    }

    private static GpuProcess occupant(ProcessOwner whose, long mib) {
        return new GpuProcess(
                7,
                mib < 0 ? OptionalLong.empty() : OptionalLong.of(mib),
                GpuProcess.Kind.COMPUTE,
                "python",
                whose,
                Optional.empty());
    }

    private static long at(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis) - 5;
    }
}
