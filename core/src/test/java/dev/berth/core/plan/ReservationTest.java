package dev.berth.core.plan;

import static dev.berth.core.plan.SnapshotBuilder.NOW;
import static dev.berth.core.plan.SnapshotBuilder.id;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.forecast.Forecaster;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.TaskId;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Three idle GPUs; Vera is in the group vision. */
class ReservationTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final ReservationHolder VISION = new ReservationHolder.ForGroup("vision");
    private static final ReservationHolder NOBODY = new ReservationHolder.ForNobody();

    private final SnapshotBuilder scene = new SnapshotBuilder();
    private Backfill backfill = new Backfill.Safe();

    @BeforeEach
    void threeGpus() {
        for (int gpu = 0; gpu < 3; gpu++) {
            scene.card(gpu, "A", 0);
        }
        scene.groups = UserGroups.NONE.with("unix:vera", new TreeSet<>(List.of("vision")));
    }

    private Planner planner() {
        return new Planner(SchedulingRules.DEFAULT, backfill, new BestScorePlacement());
    }

    private List<Long> starts() {
        return planner().plan(scene.snapshot()).starts().stream()
                .map(start -> start.task().value())
                .toList();
    }

    private void reserve(long id, ReservationHolder holder, ReservedGpus gpus, Instant begin) {
        var schedule = new Reservation.Schedule(begin, HOUR, false, ZoneOffset.UTC);
        var made = new Reservation(id, holder, gpus, schedule, "", Owner.unix("root"), NOW);
        scene.reservations = scene.reservations.with(id, made);
    }

    private Task queue(long id, String owner, int gpus) {
        return scene.queue(id, owner, TaskSpec.of("task " + id, "true", Need.gpus(gpus), "/"));
    }

    private void queue(long id, String owner, Duration limit) {
        scene.queue(id, owner, TaskSpec.of("task " + id, "true", Need.gpus(1), "/").with(limit));
    }

    @Test
    void duringItOnlyTheHolderStartsThere() {
        reserve(4, VISION, new ReservedGpus.AnyGpus(2), NOW);
        queue(1, "ann", 1);
        var second = queue(2, "ann", 1);
        assertThat(starts()).containsExactly(1L);
        var reasons = ((Verdict.Wait) planner().explain(scene.snapshot(), second)).reasons();
        assertThat(reasons)
                .anySatisfy(reason -> assertThat(reason.toString()).contains("ReservedForOthers"));
        queue(3, "vera", 1);
        queue(5, "vera", 1);
        assertThat(starts()).containsExactly(1L, 3L, 5L);
    }

    @Test
    void aTaskThatReservationsKeepFromStartingBlocksNobody() {
        reserve(4, VISION, new ReservedGpus.AnyGpus(2), NOW);
        queue(1, "ann", 2);
        queue(2, "ann", 1);
        queue(3, "vera", 2);
        for (var each : List.of(new Backfill.Safe(), new Backfill.Off(), new Backfill.Greedy())) {
            backfill = each;
            assertThat(starts()).as(each.configName()).containsExactly(2L, 3L);
        }
        assertThat(planner().plan(scene.snapshot()).promise()).isEmpty();
    }

    @Test
    void beforeItOthersStartOnlyIfTheirTimeLimitEndsThem() {
        reserve(4, VISION, new ReservedGpus.AnyGpus(3), NOW.plus(HOUR));
        queue(1, "ann", 1);
        queue(2, "ann", HOUR.plusSeconds(1));
        queue(3, "ann", HOUR);
        queue(5, "vera", 1);
        assertThat(starts()).containsExactly(3L, 5L);
    }

    @Test
    void forNobodyNothingStarts() {
        reserve(
                4,
                NOBODY,
                new ReservedGpus.NamedGpus(new GpuIndices(new TreeSet<>(List.of(1)))),
                NOW);
        queue(1, "ann", 1);
        queue(2, "vera", 1);
        queue(3, "vera", 1);
        assertThat(starts()).containsExactly(1L, 2L);
        assertThat(planner().plan(scene.snapshot()).starts())
                .noneMatch(start -> start.claims().getFirst().gpu().equals(id(1)));
    }

    @Test
    void afterItEverybodyStarts() {
        reserve(4, NOBODY, new ReservedGpus.AnyGpus(3), NOW.minus(HOUR));
        queue(1, "ann", 1);
        assertThat(starts()).containsExactly(1L);
        reserve(4, NOBODY, new ReservedGpus.AnyGpus(3), NOW.minus(HOUR).plusMillis(1));
        assertThat(starts()).isEmpty();
    }

    @Test
    void theGpusAreThoseOfItsHolderThenIdleOnesThenThoseThatEndInTime() {
        var begin = NOW.plus(HOUR);
        scene.card(3, "A", 0);
        scene.hold(0, 90, "ann", Optional.empty());
        scene.hold(1, 91, "ann", Optional.of(begin));
        scene.hold(3, 93, "vera", Optional.empty());
        reserve(4, VISION, new ReservedGpus.AnyGpus(1), begin);
        assertThat(reserved()).containsExactly(id(3));
        reserve(4, VISION, new ReservedGpus.AnyGpus(2), begin);
        assertThat(reserved()).containsExactly(id(2), id(3));
        reserve(4, VISION, new ReservedGpus.AnyGpus(3), begin);
        assertThat(reserved()).containsExactly(id(1), id(2), id(3));
    }

    @Test
    void overlappingReservationsGetDifferentGpus() {
        reserve(4, VISION, new ReservedGpus.AnyGpus(1), NOW);
        reserve(5, NOBODY, new ReservedGpus.AnyGpus(1), NOW);
        reserve(6, NOBODY, new ReservedGpus.AnyGpus(1), NOW.plus(HOUR));
        var plan = planner().reservations(scene.snapshot());
        assertThat(plan.on(id(0))).extracting(window -> window.id()).containsExactly(4L, 6L);
        assertThat(plan.on(id(1))).extracting(window -> window.id()).containsExactly(5L);
    }

    private List<GpuId> reserved() {
        var gpus = new ArrayList<GpuId>();
        planner().reservations(scene.snapshot()).byGpu().forEach(e -> gpus.add(e.getKey()));
        return gpus;
    }

    @Test
    void aWeeklyOneKeepsItsLocalTimeWhenTheClocksChange() {
        var berlin = ZoneId.of("Europe/Berlin");
        var begin = Instant.parse("2026-03-23T08:00:00Z"); // 09:00, a week before the change
        var schedule = new Reservation.Schedule(begin, HOUR, true, berlin);
        var weekly =
                new Reservation(
                        1,
                        VISION,
                        new ReservedGpus.AnyGpus(1),
                        schedule,
                        "",
                        Owner.unix("root"),
                        begin);
        assertThat(weekly.windowAt(begin.minusSeconds(1)).orElseThrow().span().begin())
                .isEqualTo(begin);
        assertThat(weekly.windowAt(begin.plus(HOUR)).orElseThrow().span().begin())
                .isEqualTo("2026-03-30T07:00:00Z");
        assertThat(weekly.windowAt(Instant.parse("2026-10-26T08:30:00Z")).orElseThrow().span())
                .isEqualTo(
                        new Reservation.TimeSpan(
                                Instant.parse("2026-10-26T08:00:00Z"),
                                Instant.parse("2026-10-26T09:00:00Z")));
        for (var now = begin; now.isBefore(begin.plus(Duration.ofDays(400))); ) {
            var span = weekly.windowAt(now).orElseThrow().span();
            assertThat(now).isBefore(span.end());
            assertThat(Duration.between(now, span.end()).toHours()).isLessThanOrEqualTo(7 * 24 + 1);
            now = now.plus(Duration.ofMinutes(37));
        }
    }

    @Test
    void theForecastKnowsWhenAReservationEnds() {
        reserve(4, NOBODY, new ReservedGpus.AnyGpus(3), NOW);
        queue(1, "ann", Duration.ofHours(2));
        var forecast =
                new Forecaster(planner(), Duration.ZERO)
                        .forecast(scene.snapshot(), List.of(), (_, _) -> Optional.empty());
        assertThat(forecast.start(new TaskId(1)).orElseThrow().expected())
                .isEqualTo(NOW.plus(HOUR));
    }
}
