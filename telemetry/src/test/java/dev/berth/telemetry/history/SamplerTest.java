package dev.berth.telemetry.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.queue.FifoOrder;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.engine.EngineState;
import dev.berth.port.Change;
import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Resolution;
import dev.berth.port.read.SampleHistory.Span;
import dev.berth.port.read.SampleHistory.Subject;
import dev.berth.port.read.SampleHistory.Total;
import dev.berth.testkit.MemoryHistory;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;

class SamplerTest {

    private static final Instant NOON = Instant.parse("2031-05-06T12:00:00Z");
    private static final AttemptId ATTEMPT = new AttemptId(new TaskId(7), 1);
    private static final AttemptId OTHER = new AttemptId(new TaskId(8), 1);
    private static final Subject CARD = new Subject.OfGpu(card(0));
    private static final Subject TASK = new Subject.OfAttempt(ATTEMPT);

    private final MemoryHistory history = new MemoryHistory();
    private final Sampler sampler = new Sampler(history);
    private final Charts charts = new Charts(history, sampler::unstoredOf);
    private EngineState state = EngineState.of(new MemoryStore().open(), new FifoOrder(), 0);

    // --- when samples are stored ---

    @Test
    void aMinuteIsStoredWhenTheNextOneBeginsAndVisibleBefore() throws Exception {
        read(0, reading(500, 90, Optional.of(List.of())));
        look(0, 60);
        assertThat(kept(CARD)).isEmpty();
        assertThat(seen(CARD, 60)).hasSize(60);

        look(60, 62);
        assertThat(kept(CARD)).hasSize(60);
        assertThat(seen(CARD, 62)).hasSize(62);
    }

    @Test
    void theSamplesOfAnEndedAttemptAreStoredImmediately() {
        read(0, reading(500, 90, Optional.of(List.of())));
        var attempt = grant(ATTEMPT, 0);
        look(0, 10);
        assertThat(kept(TASK)).isEmpty();

        apply(attempt.after(new PhaseTransition.End(new Ending.Exited(0), NOON.plusSeconds(10))));
        look(10, 11);
        assertThat(kept(TASK)).hasSize(10);
        assertThat(kept(CARD)).isEmpty();
        assertThat(sampler.unstoredOf(TASK)).isEmpty();
    }

    @Test
    void anUnreadableGpuHasNoSamples() throws Exception {
        read(0, reading(500, 90, Optional.of(List.of())));
        look(0, 3);
        state = state.with(new GpuState.Unknown(known(0), "no answer"));
        look(3, 6);
        read(0, reading(700, 90, Optional.of(List.of())));
        look(6, 7);

        assertThat(seen(CARD, 7))
                .extracting(point -> point.at() - NOON.getEpochSecond())
                .containsExactly(0L, 1L, 2L, 6L);
    }

    @Test
    void aFailedStoreIsRetriedAfterAMinute() {
        read(0, reading(500, 90, Optional.of(List.of())));
        history.setFailing(true);
        look(0, 200);
        assertThat(kept(CARD)).isEmpty();
        assertThat(sampler.unstoredOf(CARD)).hasSize(4);

        history.setFailing(false);
        look(200, 300);
        assertThat(kept(CARD)).hasSize(240);
        assertThat(sampler.unstoredOf(CARD)).hasSize(1);
    }

    @Test
    void closingStoresTheCurrentMinute() throws Exception {
        read(0, reading(500, 90, Optional.of(List.of())));
        look(0, 5);
        sampler.close();

        assertThat(kept(CARD)).hasSize(5);
    }

    // --- what is sampled ---

    @Test
    void theMeanUtilizationIsPreferredToTheLastReading() throws Exception {
        read(0, reading(500, 40, Optional.of(List.of())));
        look(0, 1);
        var silent =
                new GpuReading(
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalInt.of(99),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        Optional.empty());
        read(0, silent);
        look(1, 2);

        var at = NOON.getEpochSecond();
        assertThat(seen(CARD, 2))
                .containsExactly(
                        new Point(at, Total.of(500), Total.of(40), Total.of(61)),
                        new Point(at + 1, Total.NONE, Total.of(99), Total.NONE));
    }

    @Test
    void anAttemptHasTheMemoryOfItsProcessesOnAllItsGpus() throws Exception {
        read(0, reading(9000, 80, Optional.of(List.of(ours(1000), ours(24), foreign()))));
        read(1, reading(9000, 41, Optional.of(List.of(ours(500)))));
        grant(ATTEMPT, 0, 1);
        look(0, 1);

        assertThat(seen(TASK, 1))
                .containsExactly(
                        new Point(
                                NOON.getEpochSecond(), Total.of(1524), Total.of(61), Total.of(61)));
    }

    @Test
    void withoutProcessListTheWholeGpuCountsForItsOnlyHolder() throws Exception {
        read(0, reading(9000, 80, Optional.empty()));
        grant(ATTEMPT, 0);
        look(0, 1);
        grant(OTHER, 0);
        look(1, 2);

        assertThat(seen(TASK, 2))
                .extracting(Point::memoryMib)
                .containsExactly(Total.of(9000), Total.NONE);
    }

    @Test
    void partlyUnknownMemoryIsUnknown() throws Exception {
        read(0, reading(9000, 80, Optional.of(List.of(ours(1000)))));
        grant(ATTEMPT, 0, 1);
        state = state.with(new GpuState.Unknown(known(1), "no answer"));
        look(0, 1);

        assertThat(seen(TASK, 1))
                .containsExactly(
                        new Point(NOON.getEpochSecond(), Total.NONE, Total.of(80), Total.of(61)));
    }

    @Test
    void aTaskWithoutGpusHasNoHistory() throws Exception {
        grant(ATTEMPT);
        look(0, 3);

        assertThat(seen(TASK, 3)).isEmpty();
    }

    // --- charts ---

    @Test
    void aLongPeriodHasFewPointsAndKeepsPeaks() throws Exception {
        read(0, reading(100, 10, Optional.of(List.of())));
        look(0, 1800);
        read(0, reading(80_000, 10, Optional.of(List.of())));
        look(1800, 1801);
        read(0, reading(100, 10, Optional.of(List.of())));
        look(1801, 3600);

        var now = NOON.plusSeconds(3600);
        var chart = charts.chart(CARD, NOON, now, now);
        assertThat(chart.stepSeconds()).isEqualTo(5);
        assertThat(chart.points()).hasSize(720);
        assertThat(chart.points().get(360).memoryMib()).isEqualTo(new Total(5, 80_400, 80_000));
    }

    @Test
    void theStepFitsThePeriodAndTheStoredResolution() throws Exception {
        assertThat(step(60, 0)).isEqualTo(1);
        assertThat(step(3600, 0)).isEqualTo(5);
        assertThat(step(600, 7200)).isEqualTo(60);
        assertThat(step(6 * 3600, 0)).isEqualTo(60);
        assertThat(step(86_400, 0)).isEqualTo(120);
        assertThat(step(7 * 86_400, 0)).isEqualTo(900);
        assertThat(step(30 * 86_400, 0)).isEqualTo(3600);
        assertThat(step(365 * 86_400, 0)).isEqualTo(86_400);
    }

    private long step(long seconds, long ago) throws Exception {
        var to = NOON.minusSeconds(ago);
        return charts.chart(CARD, to.minusSeconds(seconds), to, NOON).stepSeconds();
    }

    // --- helpers ---

    private void look(int from, int to) {
        IntStream.range(from, to).forEach(at -> sampler.takeSample(state, NOON.plusSeconds(at)));
    }

    private List<Point> kept(Subject subject) {
        var all = new Span(subject, Resolution.SECOND, NOON, NOON.plusSeconds(3600));
        return history.read(all, List.of());
    }

    private List<Point> seen(Subject subject, int seconds) throws Exception {
        var now = NOON.plusSeconds(seconds);
        return charts.chart(subject, NOON, now, now).points();
    }

    private void read(int index, GpuReading reading) {
        state = state.with(new GpuState.Readable(known(index), reading));
    }

    private static GpuId card(int index) {
        return new GpuId("host", "GPU-" + index);
    }

    private static Gpu known(int index) {
        return new Gpu(card(index), index, "A", 100_000);
    }

    private Attempt grant(AttemptId id, int... cards) {
        var claims =
                IntStream.of(cards).mapToObj(index -> new Claim(card(index), 0, false)).toList();
        var attempt = new Attempt(id, "host", 1, "boot", claims, NOON, new Phase.Starting());
        apply(attempt);
        return attempt;
    }

    private void apply(Attempt attempt) {
        state = state.apply(new Change.AttemptSaved(attempt));
    }

    private static GpuReading reading(
            long used, int percent, Optional<List<GpuProcess>> occupants) {
        return new GpuReading(
                OptionalLong.of(used),
                OptionalLong.of(100_000 - used),
                OptionalInt.of(3),
                OptionalInt.of(61),
                OptionalInt.of(percent),
                occupants);
    }

    private static GpuProcess ours(long used) {
        return occupant(used, new ProcessOwner.BerthAttempt(ATTEMPT));
    }

    private static GpuProcess foreign() {
        return occupant(7000, new ProcessOwner.HostUser("bob", false));
    }

    private static GpuProcess occupant(long used, ProcessOwner whose) {
        return new GpuProcess(
                42,
                OptionalLong.of(used),
                GpuProcess.Kind.COMPUTE,
                "python",
                whose,
                Optional.empty());
    }
}
