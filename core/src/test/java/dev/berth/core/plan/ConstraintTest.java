package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Devices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.TaskId;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/** What each rule about a card says, with the others silent. */
class ConstraintTest {

    private static final Card CARD = new Card(new CardId("here", "GPU-3"), 3, "A", 1000);
    private static final AttemptId OURS = new AttemptId(new TaskId(7), 1);
    private static final Need.Cards ANY = Need.cards(1);

    @Test
    void anotherUsersComputeProcessIsYieldedToAndNamed() {
        var bobs = process(42, 10, Occupant.Kind.COMPUTE, new Whose.User("bob", false));
        assertThat(refusal(Rules.USUAL, ANY, spot(10, bobs)))
                .contains(new Refusal.OthersWork(bobs));
        assertThat(refusal(fit(), ANY, spot(10, bobs))).isEmpty();
    }

    @Test
    void theOneThatHoldsMostIsNamed() {
        var small = process(42, 10, Occupant.Kind.COMPUTE, new Whose.User("bob", false));
        var large = process(43, 20, Occupant.Kind.COMPUTE, new Whose.User("eve", false));
        assertThat(refusal(Rules.USUAL, ANY, spot(30, small, large)))
                .contains(new Refusal.OthersWork(large));
    }

    @Test
    void aProcessThatTheHostDoesNotShowCountsAsAnothers() {
        var hidden = process(42, 10, Occupant.Kind.COMPUTE, new Whose.Unknown());
        assertThat(refusal(Rules.USUAL, ANY, spot(10, hidden)))
                .contains(new Refusal.OthersWork(hidden));
    }

    @Test
    void onesOwnProcessesAndADesktopStandInNobodysWay() {
        var own = process(42, 10, Occupant.Kind.COMPUTE, new Whose.User("me", true));
        var desktop = process(43, 10, Occupant.Kind.GRAPHICS, new Whose.User("bob", false));
        assertThat(refusal(Rules.USUAL, ANY, spot(20, own, desktop))).isEmpty();
    }

    @Test
    void whoTakesTheMemoryIsNamedWithWhatIsMissing() {
        var own = process(42, 700, Occupant.Kind.COMPUTE, new Whose.User("me", true));
        assertThat(refusal(Rules.USUAL, need(400), spot(700, own)))
                .contains(new Refusal.MemoryShort(400, 0, 300, List.of(own)));
        assertThat(refusal(Rules.USUAL, ANY, spot(700, own)))
                .contains(new Refusal.InUse(700, 1000, 20, List.of(own)));
    }

    @Test
    void aCardIsNotGivenOnWhileAnEndedAttemptMayBeOnIt() {
        var state = state(0);
        assertThat(refusal(Rules.USUAL, ANY, new Spot(state, List.of(), List.of(OURS))))
                .contains(new Refusal.Leaving(OURS));
    }

    @Test
    void aProcessOfAnAttemptThatDoesNotHoldTheCardIsInTheWayAndOneThatDoesIsNot() {
        var left = process(42, 10, Occupant.Kind.COMPUTE, new Whose.Ours(OURS));
        assertThat(refusal(fit(), ANY, spot(10, left)))
                .contains(new Refusal.LeftBehind(OURS, left));
        var holds = List.of(new Hold(OURS, new Claim(CARD.id(), 100, false)));
        var held = new Spot(state(10, left), holds, List.of());
        assertThat(Constraint.VACATED.refuses(ask(ANY), held)).isEmpty();
    }

    @Test
    void cardsOutsideThePoolAndReservedOnesAreNeverGiven() {
        var others = new Pool(Optional.of(new TreeSet<>(List.of(0, 5))), new TreeSet<>());
        var reserved = new Pool(Optional.empty(), new TreeSet<>(List.of(3)));
        var outside = refusal(new Rules(20, Foreign.YIELD, others), ANY, spot(0));
        assertThat(outside).contains(new Refusal.OutsidePool());
        assertThat(outside.orElseThrow().isForEver()).isTrue();
        assertThat(refusal(new Rules(20, Foreign.YIELD, reserved), ANY, spot(0)))
                .contains(new Refusal.Reserved());
        assertThat(others.absentFrom(new TreeSet<>(List.of(0, 1)))).containsExactly(5);
    }

    @Test
    void whatCannotBeReadAndWhatIsInErrorAreNotFree() {
        var unknown = Spot.unheld(new CardState.Unknown(CARD, "the probe hangs"));
        var failed = Spot.unheld(new CardState.Failed(CARD, "gone"));
        assertThat(refusal(fit(), ANY, unknown))
                .contains(new Refusal.Unreadable("the probe hangs"));
        assertThat(refusal(fit(), ANY, failed)).contains(new Refusal.Broken("gone"));
        assertThat(refusal(fit(), ANY, failed).orElseThrow().isForEver()).isFalse();
    }

    @Test
    void whereTheDriverListsNoProcessesNothingStartsUnlessMemoryAloneDecides() {
        assertThat(refusal(Rules.USUAL, ANY, unlisted(0)))
                .containsInstanceOf(Refusal.Unreadable.class);
        assertThat(refusal(fit(), ANY, unlisted(60))).isEmpty();
    }

    /** The driver does not say who is there. */
    private static Spot unlisted(long used) {
        var state = (CardState.Readable) state(used);
        return Spot.unheld(
                new CardState.Readable(state.card(), state.reading().with(Optional.empty())));
    }

    @Test
    void theThresholdIsALabsChoice() {
        assertThat(refusal(new Rules(50, Foreign.YIELD, Pool.ALL), ANY, spot(400))).isEmpty();
        assertThat(refusal(Rules.USUAL, ANY, spot(199))).isEmpty();
        assertThat(refusal(Rules.USUAL, ANY, spot(200))).isPresent();
    }

    @Test
    void anEstimateMustFitWithItsMargin() {
        var model = new ModelWork(Optional.empty(), Optional.of("optimization"), 0);
        var shape = Shape.of(ANY, Optional.of(model));
        assertThat(refusal(2000, shape, 8000)).isEmpty();
        assertThat(refusal(2000, shape, 7999))
                .contains(new Refusal.MemoryShort(6000, 2000, 7999, List.of()));
        assertThat(refusal(0, shape, 6000)).isEmpty();
        assertThat(refusal(0, shape, 5999)).isPresent();
    }

    private static Optional<Refusal> refusal(long marginMib, Shape shape, long freeMib) {
        var scene = new Scene();
        scene.card(new Card(Scene.id(0), 0, "A", 24_000), freeMib, 0, 40);
        var rules = Rules.USUAL.with(new Estimates(new TreeMap<>(), marginMib));
        var spot = scene.snapshot().fleet().spots().findFirst().orElseThrow();
        return new Planner(rules).refusal(shape, spot, false);
    }

    @Test
    void onlyThoseThatShareStandBesideEachOther() {
        var shares = new Need.Cards(Need.Count.of(1), Optional.empty(), Need.Memory.shared(400));
        assertThat(refusal(Rules.USUAL, shares, held(400, false))).isEmpty();
        assertThat(refusal(Rules.USUAL, shares, held(601, false)))
                .contains(new Refusal.MemoryShort(400, 0, 399, List.of()));
        assertThat(refusal(Rules.USUAL, shares, held(400, true))).contains(new Refusal.Held(OURS));
        assertThat(refusal(Rules.USUAL, need(400), held(400, false)))
                .contains(new Refusal.Held(OURS));
    }

    private static Spot held(long promised, boolean isExclusive) {
        var claim = new Claim(CARD.id(), promised, isExclusive);
        return new Spot(state(0), List.of(new Hold(OURS, claim)), List.of());
    }

    @Test
    void aTaskThatNamesOtherCardsNeverTakesThisOne() {
        var named = Need.Cards.on(Devices.of(2, 4), Optional.empty(), Need.Memory.UNSTATED);
        var refusal = refusal(Rules.USUAL, named, spot(0)).orElseThrow();
        assertThat(refusal).isEqualTo(new Refusal.NotNamed(Devices.of(2, 4)));
        assertThat(refusal.isForEver()).isTrue();
        var mine = Need.Cards.on(Devices.of(3), Optional.empty(), Need.Memory.UNSTATED);
        assertThat(refusal(Rules.USUAL, mine, spot(0))).isEmpty();
    }

    @Test
    void whoForcesAStartAsksForNothingButTheCardItself() {
        var bobs = process(42, 900, Occupant.Kind.COMPUTE, new Whose.User("bob", false));
        var planner = new Planner(Rules.USUAL);
        var shape = Shape.of(ANY, Optional.empty());
        assertThat(planner.refusal(shape, spot(900, bobs), false)).isPresent();
        assertThat(planner.refusal(shape, spot(900, bobs), true)).isEmpty();
        assertThat(planner.refusal(shape, held(0, true), true)).contains(new Refusal.Held(OURS));
        var unread = Spot.unheld(new CardState.Unknown(CARD, "no answer"));
        assertThat(planner.refusal(shape, unread, true)).isPresent();
    }

    private static Rules fit() {
        return new Rules(20, Foreign.FIT, Pool.ALL);
    }

    private static Need.Cards need(long mib) {
        return new Need.Cards(Need.Count.of(1), Optional.empty(), Need.Memory.of(mib));
    }

    private static Ask ask(Need.Cards need) {
        return Ask.of(need, Shape.of(need, Optional.empty()), Rules.USUAL);
    }

    private static Optional<Refusal> refusal(Rules rules, Need.Cards need, Spot spot) {
        return new Planner(rules).refusal(Shape.of(need, Optional.empty()), spot, false);
    }

    private static Spot spot(long used, Occupant... occupants) {
        return Spot.unheld(state(used, occupants));
    }

    private static CardState state(long used, Occupant... occupants) {
        return new CardState.Readable(
                CARD,
                new Reading(
                                OptionalLong.of(used),
                                OptionalLong.of(1000 - used),
                                OptionalInt.of(0),
                                OptionalInt.of(40))
                        .with(Optional.of(List.of(occupants))));
    }

    private static Occupant process(long pid, long mib, Occupant.Kind kind, Whose whose) {
        return new Occupant(pid, OptionalLong.of(mib), kind, "python", whose, Optional.empty());
    }
}
