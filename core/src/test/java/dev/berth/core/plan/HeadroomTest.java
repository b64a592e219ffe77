package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardId;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.TaskId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

class HeadroomTest {

    private static final CardId CARD = new CardId("here", "GPU-0");
    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);
    private static final AttemptId TWO = new AttemptId(new TaskId(2), 1);

    /** Of a card of which 1000 can be used; {@code taken} is what the attempt's processes hold. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "nobody is there,                                    0, 1000,   0,   0, 1000",
        "promised and not begun,                             0, 1000, 400,   0,  600",
        "half taken: the other half is still promised,     200,  800, 400, 200,  600",
        "all taken: it is not counted twice,               400,  600, 400, 400,  600",
        "took more than promised: only what is free counts, 500, 500, 400, 500,  500",
        "a stranger took 300 and the attempt nothing yet,  300,  700, 400,   0,  300",
        "a stranger took 300 and the attempt all of its,   700,  300, 400, 400,  300",
        "a stranger took what was promised,                900,  100, 400,   0,    0",
        "nothing was promised,                             500,  500,   0, 500,  500",
    })
    void whatWasPromisedAndNotYetTakenIsMissing(
            String when, long used, long free, long promised, long taken, long headroom) {
        var occupants = new ArrayList<Occupant>();
        if (taken > 0) {
            occupants.add(process(10, OptionalLong.of(taken), new Whose.Ours(ONE)));
        }
        if (used > taken) {
            var bob = new Whose.User("bob", false);
            occupants.add(process(11, OptionalLong.of(used - taken), bob));
        }
        assertThat(Headroom.mib(reading(used, free, Optional.of(occupants)), holds(promised)))
                .as(when)
                .hasValue(headroom);
    }

    /** Then use up to the sum of all promises is taken for theirs. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "nobody is there,                                0, 1000,   0, 1000",
        "promised and not begun,                         0, 1000, 400,  600",
        "half taken,                                   200,  800, 400,  600",
        "all taken: it is not counted twice,           400,  600, 400,  600",
        "more is used than promised,                   700,  300, 400,  300",
        "nothing was promised,                         500,  500,   0,  500",
    })
    void whereNobodySaysWhoTookWhatPromisesAreTakenToBeUsedFirst(
            String when, long used, long free, long promised, long headroom) {
        var hidden = List.of(process(10, OptionalLong.empty(), new Whose.Ours(ONE)));
        assertThat(Headroom.mib(reading(used, free, Optional.empty()), holds(promised)))
                .as(when)
                .hasValue(headroom);
        assertThat(Headroom.mib(reading(used, free, Optional.of(hidden)), holds(promised)))
                .as(when + ", listed without memory")
                .hasValue(headroom);
    }

    @Test
    void severalAttemptsAndSeveralProcessesOfOneAreAddedUp() {
        var occupants =
                List.of(
                        process(10, OptionalLong.of(100), new Whose.Ours(ONE)),
                        process(11, OptionalLong.of(100), new Whose.Ours(ONE)),
                        process(12, OptionalLong.of(500), new Whose.Ours(TWO)));
        var holds =
                List.of(
                        new Hold(ONE, new Claim(CARD, 300, false)),
                        new Hold(TWO, new Claim(CARD, 400, false)));
        // One has still 100 coming; two has taken more than its own, which covers nobody else's.
        assertThat(Headroom.mib(reading(700, 300, Optional.of(occupants)), holds)).hasValue(200);
    }

    @Test
    void aStrangerWithoutAFigureChangesNothing() {
        var occupants = List.of(process(9, OptionalLong.empty(), new Whose.Unknown()));
        assertThat(Headroom.mib(reading(300, 700, Optional.of(occupants)), holds(400)))
                .hasValue(300);
    }

    @Test
    void whatTheDriverDoesNotSayIsNotGuessed() {
        var silent =
                new Reading(
                        OptionalLong.empty(),
                        OptionalLong.of(5),
                        OptionalInt.empty(),
                        OptionalInt.empty());
        assertThat(Headroom.mib(silent, List.of())).isEmpty();
    }

    private static List<Hold> holds(long promised) {
        return List.of(new Hold(ONE, new Claim(CARD, promised, false)));
    }

    private static Reading reading(long used, long free, Optional<List<Occupant>> occupants) {
        return new Reading(
                        OptionalLong.of(used),
                        OptionalLong.of(free),
                        OptionalInt.of(0),
                        OptionalInt.of(40))
                .with(occupants);
    }

    private static Occupant process(long pid, OptionalLong mib, Whose whose) {
        return new Occupant(pid, mib, Occupant.Kind.COMPUTE, "python", whose, Optional.empty());
    }
}
