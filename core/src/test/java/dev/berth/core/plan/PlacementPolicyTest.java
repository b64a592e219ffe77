package dev.berth.core.plan;

import static dev.berth.core.plan.SnapshotBuilder.NOW;
import static dev.berth.core.plan.SnapshotBuilder.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** The scores of each policy, and that the three can choose differently. */
class PlacementPolicyTest {

    private final SnapshotBuilder scene = new SnapshotBuilder();

    @Test
    void bestScoreAddsLoadedModelFreeMemoryAndCoolness() {
        scene.card(card(0, 24_000), 20_000, 0, 50);
        scene.card(card(1, 24_000), 22_000, 0, 80);
        assertThat(total(new BestScorePlacement(), 0)).isEqualTo(25.0);
        assertThat(total(new BestScorePlacement(), 1)).isEqualTo(24.0);
        assertThat(chosen(new BestScorePlacement())).isZero();
        scene.loaded = scene.loaded.with(id(1), List.of("m"));
        assertThat(total(new BestScorePlacement(), 1)).isEqualTo(124.0);
        assertThat(chosen(new BestScorePlacement())).isEqualTo(1);
        assertThat(parts(new BestScorePlacement(), 1))
                .isEqualTo(Map.of("model_loaded", 100.0, "memory_free", 22.0, "coolness", 2.0));
    }

    @Test
    void theFirstOfEqualCardsIsChosen() {
        scene.card(card(3, 24_000), 20_000, 0, 50);
        scene.card(card(1, 24_000), 20_000, 0, 50);
        for (var rule : PlacementPolicy.all(ModelCache.DEFAULT)) {
            assertThat(chosen(rule)).as(rule.configName()).isEqualTo(1);
        }
    }

    @Test
    void affinityIsHundredWhereLoadedFiftyWhereThereIsRoomAndNothingWhereItIsFull() {
        for (int index = 0; index < 3; index++) {
            scene.card(card(index, 24_000), 12_000, 0, 50);
        }
        scene.loaded =
                scene.loaded
                        .with(id(0), List.of("x", "m"))
                        .with(id(1), List.of("x"))
                        .with(id(2), List.of("x", "y"));
        var balanced = new BalancedPlacement(2);
        assertThat(parts(balanced, 0)).containsEntry("model_affinity", 100.0);
        assertThat(parts(balanced, 1)).containsEntry("model_affinity", 50.0);
        assertThat(parts(balanced, 2)).containsEntry("model_affinity", 0.0);
        assertThat(parts(new BalancedPlacement(3), 2)).containsEntry("model_affinity", 50.0);
    }

    @Test
    void balanceCountsMemoryIdlenessAndCoolness() {
        scene.card(card(0, 24_000), 12_000, 40, 45);
        assertThat(balance(Duration.ZERO)).isCloseTo(49.0, within(1e-9));
        assertThat(balance(Duration.ofMinutes(5))).isCloseTo(54.0, within(1e-9));
        assertThat(balance(Duration.ofMinutes(20))).isCloseTo(59.0, within(1e-9));
        scene.releasedAt = scene.releasedAt.without(id(0));
        assertThat(parts(new BalancedPlacement(2), 0)).containsEntry("idle", 10.0);
        scene.hold(0, 9);
        assertThat(parts(new BalancedPlacement(2), 0)).containsEntry("idle", 0.0);
    }

    private double balance(Duration idle) {
        scene.releasedAt = scene.releasedAt.with(id(0), NOW.minus(idle));
        var parts = parts(new BalancedPlacement(2), 0);
        assertThat(parts).containsEntry("memory", 20.0).containsEntry("utilization", 18.0);
        assertThat(parts.get("coolness")).isCloseTo(11.0, within(1e-9));
        return total(new BalancedPlacement(2), 0) - parts.get("model_affinity");
    }

    @Test
    void samplingTakesTheCardThatDidLeastInTheLastSecond() {
        // GPU 0 is idle right now, but was not over the last second.
        alternating(0);
        scene.card(card(1, 24_000), 20_000, 20, 50);
        assertThat(chosen(new SamplingPlacement())).isEqualTo(1);
        scene.card(card(2, 24_000), 22_000, 20, 50);
        assertThat(chosen(new SamplingPlacement())).isEqualTo(2);
    }

    private void alternating(int index) {
        scene.card(card(index, 24_000), 23_000, 0, 50);
        var state = (GpuState.Readable) scene.cards.get(id(index)).orElseThrow();
        var now = state.reading();
        var reading =
                new GpuReading(
                        now.usedMib(),
                        now.freeMib(),
                        now.utilizationPercent(),
                        now.temperatureC(),
                        OptionalInt.of(50),
                        now.processes());
        scene.cards = scene.cards.with(id(index), new GpuState.Readable(state.gpu(), reading));
    }

    @Test
    void theThreeRulesCanAllDisagree() {
        scene.card(card(0, 80_000), 70_000, 90, 60); // most free memory
        scene.card(card(1, 24_000), 23_000, 30, 30); // best by balance: nearly all free
        scene.card(card(2, 24_000), 20_000, 10, 90); // least used in the last second
        assertThat(chosen(new BestScorePlacement())).isZero();
        assertThat(chosen(new BalancedPlacement(2))).isEqualTo(1);
        assertThat(chosen(new SamplingPlacement())).isEqualTo(2);
    }

    @Test
    void leastRecentlyUsedModelsGoFirst() {
        var cache = new ModelCache(2, Duration.ofSeconds(3));
        var uses = List.<ModelCache.Use>of();
        for (var model : List.of("A", "B", "A", "C")) {
            uses = cache.afterUse(uses, model, NOW);
        }
        assertThat(cache.loaded(uses, NOW)).containsExactly("A", "C");
        uses = cache.afterUse(uses, "A", NOW.plusSeconds(2));
        assertThat(cache.loaded(uses, NOW.plusSeconds(3))).containsExactly("A");
        assertThat(cache.loaded(uses, NOW.plusSeconds(5))).isEmpty();
    }

    private int chosen(PlacementPolicy rule) {
        var planner = new Planner(SchedulingRules.DEFAULT, new Backfill.Off(), rule);
        var task = SnapshotBuilder.task(1, "ann", spec());
        var start = (Verdict.Start) planner.planManualStart(scene.snapshot(), task, false);
        return scene.cards.get(start.claims().getFirst().gpu()).orElseThrow().gpu().index();
    }

    private double total(PlacementPolicy rule, int index) {
        return score(rule, index).total();
    }

    private Map<String, Double> parts(PlacementPolicy rule, int index) {
        return score(rule, index).parts().stream()
                .collect(Collectors.toMap(Score.ScorePart::name, Score.ScorePart::value));
    }

    private Score score(PlacementPolicy rule, int index) {
        var spot =
                scene.snapshot()
                        .fleet()
                        .views()
                        .filter(one -> one.state().gpu().index() == index)
                        .findFirst()
                        .orElseThrow();
        return rule.score(ask(), spot, NOW);
    }

    private static GpuRequirement ask() {
        return new Planner(SchedulingRules.DEFAULT).requirement(Need.gpus(1), Shape.of(spec()));
    }

    private static TaskSpec spec() {
        return TaskSpec.of("x", "true", Need.gpus(1), "/")
                .with(new ModelWork(Optional.of("m"), Optional.empty(), 0));
    }

    private static Gpu card(int index, long totalMib) {
        return new Gpu(id(index), index, "A", totalMib);
    }
}
