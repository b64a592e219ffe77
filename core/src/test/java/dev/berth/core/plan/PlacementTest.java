package dev.berth.core.plan;

import static dev.berth.core.plan.Scene.NOW;
import static dev.berth.core.plan.Scene.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
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

/** The numbers of each rule, and that the three choose differently. */
class PlacementTest {

    private final Scene scene = new Scene();

    @Test
    void bestScoreAddsLoadedModelFreeMemoryAndCoolness() {
        scene.card(card(0, 24_000), 20_000, 0, 50);
        scene.card(card(1, 24_000), 22_000, 0, 80);
        assertThat(total(new BestScore(), 0)).isEqualTo(25.0);
        assertThat(total(new BestScore(), 1)).isEqualTo(24.0);
        assertThat(chosen(new BestScore())).isZero();
        scene.loaded = scene.loaded.with(id(1), List.of("m"));
        assertThat(total(new BestScore(), 1)).isEqualTo(124.0);
        assertThat(chosen(new BestScore())).isEqualTo(1);
        assertThat(parts(new BestScore(), 1))
                .isEqualTo(Map.of("model_loaded", 100.0, "memory_free", 22.0, "coolness", 2.0));
    }

    @Test
    void theFirstOfEqualCardsIsChosen() {
        scene.card(card(3, 24_000), 20_000, 0, 50);
        scene.card(card(1, 24_000), 20_000, 0, 50);
        for (var rule : Placement.all(ModelCache.USUAL)) {
            assertThat(chosen(rule)).as(rule.word()).isEqualTo(1);
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
        var balanced = new Balanced(2);
        assertThat(parts(balanced, 0)).containsEntry("model_affinity", 100.0);
        assertThat(parts(balanced, 1)).containsEntry("model_affinity", 50.0);
        assertThat(parts(balanced, 2)).containsEntry("model_affinity", 0.0);
        assertThat(parts(new Balanced(3), 2)).containsEntry("model_affinity", 50.0);
    }

    @Test
    void balanceCountsMemoryIdlenessAndCoolness() {
        scene.card(card(0, 24_000), 12_000, 40, 45);
        assertThat(balance(Duration.ZERO)).isCloseTo(49.0, within(1e-9));
        assertThat(balance(Duration.ofMinutes(5))).isCloseTo(54.0, within(1e-9));
        assertThat(balance(Duration.ofMinutes(20))).isCloseTo(59.0, within(1e-9));
        scene.releasedAt = scene.releasedAt.without(id(0));
        assertThat(parts(new Balanced(2), 0)).containsEntry("idle", 10.0);
        scene.hold(0, 9);
        assertThat(parts(new Balanced(2), 0)).containsEntry("idle", 0.0);
    }

    private double balance(Duration idle) {
        scene.releasedAt = scene.releasedAt.with(id(0), NOW.minus(idle));
        var parts = parts(new Balanced(2), 0);
        assertThat(parts).containsEntry("memory", 20.0).containsEntry("utilization", 18.0);
        assertThat(parts.get("coolness")).isCloseTo(11.0, within(1e-9));
        return total(new Balanced(2), 0) - parts.get("model_affinity");
    }

    @Test
    void samplingTakesTheCardThatDidLeastInTheLastSecond() {
        // Looked at now card 0 is at rest; over the last second it was not.
        alternating(0);
        scene.card(card(1, 24_000), 20_000, 20, 50);
        assertThat(chosen(new Sampling())).isEqualTo(1);
        scene.card(card(2, 24_000), 22_000, 20, 50);
        assertThat(chosen(new Sampling())).isEqualTo(2);
    }

    private void alternating(int index) {
        scene.card(card(index, 24_000), 23_000, 0, 50);
        var state = (CardState.Readable) scene.cards.get(id(index)).orElseThrow();
        var now = state.reading();
        var reading =
                new Reading(
                        now.usedMib(),
                        now.freeMib(),
                        now.utilizationPercent(),
                        now.temperatureC(),
                        OptionalInt.of(50),
                        now.occupants());
        scene.cards = scene.cards.with(id(index), new CardState.Readable(state.card(), reading));
    }

    @Test
    void theThreeRulesCanAllDisagree() {
        scene.card(card(0, 80_000), 70_000, 90, 60); // most free memory
        scene.card(card(1, 24_000), 23_000, 30, 30); // most at rest by balance: nearly all free
        scene.card(card(2, 24_000), 20_000, 10, 90); // least used in the last second
        assertThat(chosen(new BestScore())).isZero();
        assertThat(chosen(new Balanced(2))).isEqualTo(1);
        assertThat(chosen(new Sampling())).isEqualTo(2);
    }

    @Test
    void leastRecentlyUsedModelsGoFirst() {
        var cache = new ModelCache(2, Duration.ofSeconds(3));
        var uses = List.<ModelCache.Use>of();
        for (var model : List.of("A", "B", "A", "C")) {
            uses = cache.used(uses, model, NOW);
        }
        assertThat(cache.loaded(uses, NOW)).containsExactly("A", "C");
        uses = cache.used(uses, "A", NOW.plusSeconds(2));
        assertThat(cache.loaded(uses, NOW.plusSeconds(3))).containsExactly("A");
        assertThat(cache.loaded(uses, NOW.plusSeconds(5))).isEmpty();
    }

    private int chosen(Placement rule) {
        var planner = new Planner(Rules.USUAL, new Passing.Off(), rule);
        var task = Scene.task(1, "ann", spec());
        var start = (Verdict.Start) planner.byHand(scene.snapshot(), task, false);
        return scene.cards.get(start.claims().getFirst().card()).orElseThrow().card().index();
    }

    private double total(Placement rule, int index) {
        return score(rule, index).total();
    }

    private Map<String, Double> parts(Placement rule, int index) {
        return score(rule, index).parts().stream()
                .collect(Collectors.toMap(Score.Part::name, Score.Part::value));
    }

    private Score score(Placement rule, int index) {
        var spot =
                scene.snapshot()
                        .fleet()
                        .spots()
                        .filter(one -> one.state().card().index() == index)
                        .findFirst()
                        .orElseThrow();
        return rule.score(ask(), spot, NOW);
    }

    private static Ask ask() {
        return new Planner(Rules.USUAL).ask(Need.cards(1), Shape.of(spec()));
    }

    private static TaskSpec spec() {
        return TaskSpec.of("x", "true", Need.cards(1), "/")
                .with(new ModelWork(Optional.of("m"), Optional.empty(), 0));
    }

    private static Card card(int index, long totalMib) {
        return new Card(id(index), index, "A", totalMib);
    }
}
