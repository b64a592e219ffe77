package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Whose;
import dev.berth.core.line.LineId;
import dev.berth.core.task.Lane;
import dev.berth.core.task.Manners;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskMove;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** What holds of lanes whatever waits, runs and rests in them. */
class LanePropertyTest {

    private static final int WORLDS = 5_000;

    @Test
    void nobodyStartsInALaneThatIsBusyOrRestsAndNobodyBeforeTheFirst() {
        everywhere(
                (world, plan) -> {
                    for (var start : plan.starts()) {
                        var task = world.task(start);
                        if (task.spec().lane().isPresent()) {
                            var lane = LineId.of(task);
                            var lanes = world.scene.waiting.lanes();
                            assertThat(lanes.running(lane)).isEmpty();
                            var first = lanes.queued(lane).first().orElseThrow().getValue();
                            assertThat(first.id()).isEqualTo(task.id());
                            assertThat(world.scene.waiting.isResting(first)).isFalse();
                        }
                    }
                });
    }

    @Test
    void aPassStartsOneTaskOfARunAtMost() {
        everywhere(
                (world, plan) -> {
                    var runs = new ArrayList<Long>();
                    for (var start : plan.starts()) {
                        world.task(start).spec().ofRun().ifPresent(lane -> runs.add(lane.run()));
                    }
                    assertThat(runs).doesNotHaveDuplicates();
                    assertThat(runs).noneMatch(world.scene.spacing::contains);
                });
    }

    @Test
    void cardsThatAreKeptBackOrNotTheLanesAreNotTakenByLanesOfOneCard() {
        everywhere(
                (world, plan) -> {
                    var theirs = world.lanes.among(world.scene.cards, Pool.ALL);
                    for (var start : plan.starts()) {
                        var manners = world.manners(start);
                        for (var claim : start.claims()) {
                            int index = world.index(claim.card());
                            if (manners.arePolite()) {
                                assertThat(theirs.all()).contains(index);
                            }
                            if (manners == Manners.SINGLE) {
                                assertThat(theirs.kept()).doesNotContain(index);
                            }
                        }
                    }
                });
    }

    /** At the moment of each start: whoever starts later in the same pass counts later. */
    @Test
    void enoughCardsAreLeftIdleOfAnybodyUnlessATaskCannotDoWithFewer() {
        everywhere(
                (world, plan) -> {
                    var fleet = world.scene.snapshot().fleet().forLanes(world.rules());
                    for (var start : plan.starts()) {
                        fleet = fleet.with(start.attempt(), start.claims());
                        int idle = world.planner.idle(fleet).size();
                        var manners = world.manners(start);
                        boolean isLeast =
                                world.task(start).spec().need() instanceof Need.Cards need
                                        && start.claims().size() == need.count().least();
                        if (manners == Manners.SINGLE) {
                            assertThat(idle).isGreaterThanOrEqualTo(world.lanes.left());
                        }
                        if (manners == Manners.MULTI && idle < world.lanes.left()) {
                            assertThat(isLeast).isTrue();
                            assertThat(start.leavesTooFew()).isTrue();
                        }
                    }
                });
    }

    @Test
    void whoWaitsInALaneIsToldWhy() {
        everywhere(
                (world, plan) -> {
                    var started = plan.starts().stream().map(Verdict.Start::task).toList();
                    for (var task : world.scene.waiting.everybody().toList()) {
                        var verdict = world.planner.why(world.scene.snapshot(), task);
                        if (verdict instanceof Verdict.Wait(_, var reasons)) {
                            assertThat(reasons).isNotEmpty();
                            assertThat(started).doesNotContain(task.id());
                        }
                    }
                });
    }

    @Test
    void theSameSnapshotGivesTheSamePlan() {
        everywhere(
                (world, plan) -> {
                    var again = new LaneWorld(world.seed);
                    assertThat(again.planner.pass(again.scene.snapshot())).isEqualTo(plan);
                });
    }

    private static void everywhere(BiConsumer<LaneWorld, Plan> property) {
        for (long seed = 0; seed < WORLDS; seed++) {
            var world = new LaneWorld(seed);
            try {
                property.accept(world, world.planner.pass(world.scene.snapshot()));
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError("in the world of seed " + seed, broken);
            }
        }
    }

    /** A few cards, two runs, and tasks in and out of lanes. */
    private static final class LaneWorld {

        final long seed;
        final Scene scene = new Scene();
        final LaneRules lanes;
        final Planner planner;
        private final Random random;
        private final List<Task> tasks = new ArrayList<>();

        LaneWorld(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            int cards = 1 + random.nextInt(5);
            for (int index = 0; index < cards; index++) {
                card(index);
            }
            lanes =
                    new LaneRules(
                            random.nextInt(3) == 0 ? Optional.of(some(cards)) : Optional.empty(),
                            random.nextInt(3),
                            random.nextInt(4) == 0);
            planner = new Planner(rules());
            int count = random.nextInt(12);
            for (int id = 1; id <= count; id++) {
                add(id);
            }
            if (random.nextInt(6) == 0) {
                scene.spacing.add(1L);
            }
        }

        Rules rules() {
            var foreign = seed % 2 == 0 ? Foreign.YIELD : Foreign.FIT;
            return new Rules(20, foreign, Pool.ALL).with(lanes);
        }

        private List<Integer> some(int cards) {
            var indices = new TreeSet<Integer>();
            for (int i = 0; i < cards; i++) {
                indices.add(random.nextInt(cards + 1));
            }
            return List.copyOf(indices.descendingSet());
        }

        private void card(int index) {
            scene.card(index, "A", random.nextInt(3) == 0 ? 10 : 0);
            if (random.nextInt(5) == 0) {
                scene.hold(index, 100 + index);
            } else if (random.nextInt(4) == 0) {
                occupy(index);
            }
        }

        private void occupy(int index) {
            var state = (CardState.Readable) scene.cards.get(Scene.id(index)).orElseThrow();
            var one =
                    new Occupant(
                            7,
                            OptionalLong.of(5),
                            Occupant.Kind.COMPUTE,
                            "python",
                            new Whose.User("eve", random.nextBoolean()),
                            Optional.empty());
            var reading = state.reading().with(Optional.of(List.of(one)));
            scene.cards =
                    scene.cards.with(
                            Scene.id(index), new CardState.Readable(state.card(), reading));
        }

        private void add(long id) {
            int least = 1 + random.nextInt(3);
            var task =
                    switch (random.nextInt(4)) {
                        case 0 -> scene.queue(id, Need.cards(1 + random.nextInt(2)));
                        case 1 ->
                                scene.lane(
                                        id,
                                        new Lane.OfRun(2, random.nextInt(3), true),
                                        new Need.Count(least, least + random.nextInt(3)),
                                        random.nextInt(60));
                        default ->
                                scene.lane(
                                        id,
                                        new Lane.OfRun(1, random.nextInt(3), false),
                                        Need.Count.of(1),
                                        random.nextInt(60));
                    };
            tasks.add(task);
            if (random.nextInt(6) == 0) {
                var begun = task.after(new TaskMove.Start(1));
                scene.waiting = scene.waiting.without(task).withRunning(begun);
            } else if (random.nextInt(6) == 0) {
                var until = Optional.of(Scene.NOW.plusSeconds(9));
                var resting =
                        task.after(new TaskMove.Start(1))
                                .after(new TaskMove.Retry(Scene.NOW, until));
                scene.waiting = scene.waiting.without(task).with(resting);
            }
        }

        Task task(Verdict.Start start) {
            return tasks.stream()
                    .filter(task -> task.id().equals(start.task()))
                    .findFirst()
                    .orElseThrow();
        }

        Manners manners(Verdict.Start start) {
            return Shape.of(task(start).spec()).manners();
        }

        int index(CardId card) {
            return scene.cards.get(card).orElseThrow().card().index();
        }
    }
}
