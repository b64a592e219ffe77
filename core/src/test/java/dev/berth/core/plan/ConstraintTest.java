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
import dev.berth.core.task.Need;
import dev.berth.core.task.TaskId;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;

/** What each rule about a card says, with the others silent. */
class ConstraintTest {

    private static final Card CARD = new Card(new CardId("here", "GPU-3"), 3, "A", 1000);
    private static final AttemptId OURS = new AttemptId(new TaskId(7), 1);
    private static final Need.Cards ANY = new Need.Cards(1, Optional.empty(), OptionalLong.empty());

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
                .contains(new Refusal.MemoryShort(400, 300, List.of(own)));
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
        assertThat(Constraint.VACATED.refuses(ANY, held)).isEmpty();
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

    private static Rules fit() {
        return new Rules(20, Foreign.FIT, Pool.ALL);
    }

    private static Need.Cards need(long mib) {
        return new Need.Cards(1, Optional.empty(), OptionalLong.of(mib));
    }

    private static Optional<Refusal> refusal(Rules rules, Need.Cards need, Spot spot) {
        return new Planner(Constraint.standard(rules)).refusal(need, spot);
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
