package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardId;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Whose;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.TaskId;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;

class SimulatedCardsTest {

    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);

    private final Holders holders = new Holders();
    private Instant now = T0;
    private SimulatedCards cards = cards(false);

    @Test
    void cardsThatNobodyHoldsAreIdleAndStayTheSame() {
        assertThat(cards.read()).hasSize(2).isEqualTo(cards.read());
        assertThat(cards.read())
                .allSatisfy(
                        row -> {
                            assertThat(row.reading().usedMib()).hasValue(0);
                            assertThat(row.reading().freeMib()).hasValue(1000);
                            assertThat(row.reading().utilizationPercent()).hasValue(0);
                            assertThat(row.reading().occupants().orElseThrow()).isEmpty();
                        });
    }

    @Test
    void aHeldCardShowsThePromisedMemoryItsHolderAndALivelyLoad() {
        hold(300);
        var reading = cards.read().getFirst().reading();
        assertThat(reading.usedMib()).hasValue(300);
        assertThat(reading.freeMib()).hasValue(700);
        assertThat(reading.occupants().orElseThrow())
                .singleElement()
                .satisfies(one -> assertThat(one.whose()).isEqualTo(new Whose.Ours(ONE)));
        var loads = new HashSet<Integer>();
        int warmest = 0;
        for (int second = 0; second < 90; second++) {
            now = T0.plusSeconds(second);
            var then = cards.read().getFirst().reading();
            assertThat(then.utilizationPercent().orElseThrow()).isBetween(1, 100);
            loads.add(then.utilizationPercent().orElseThrow());
            warmest = Math.max(warmest, then.temperatureC().orElseThrow());
        }
        assertThat(loads).hasSizeGreaterThan(5);
        assertThat(warmest).isGreaterThan(50).isLessThan(90);
        assertThat(cards.read()).as("the same moment looks the same").isEqualTo(cards.read());
    }

    @Test
    void withoutAPromiseItIsHalfOfTheCard() {
        hold(0);
        assertThat(cards.read().getFirst().reading().usedMib()).hasValue(500);
        assertThat(cards.read().getLast().reading().usedMib()).hasValue(0);
        holders.gone(ONE);
        assertThat(cards.read().getFirst().reading().usedMib()).hasValue(0);
    }

    @Test
    void inALabANeighboursWorkComesAndGoesButNeverOntoAHeldCard() {
        cards = cards(true);
        hold(0);
        int visits = 0;
        for (int minute = 0; minute < 60; minute++) {
            now = T0.plusSeconds(60L * minute);
            var rows = cards.read();
            assertThat(rows.getFirst().reading().occupants().orElseThrow())
                    .noneMatch(Occupant::isAnotherUsersWork);
            visits +=
                    rows.getLast().reading().occupants().orElseThrow().stream()
                                    .anyMatch(Occupant::isAnotherUsersWork)
                            ? 1
                            : 0;
        }
        assertThat(visits).isBetween(5, 40);
    }

    private void hold(long mib) {
        var claim = new Claim(new CardId("here", "SIM-000"), mib, true);
        holders.granted(
                new Attempt(ONE, "here", 1, "boot", List.of(claim), T0, new Phase.Starting()));
        holders.came(ONE, new Run(new ProcessKey("boot", 77, 1), T0));
    }

    private SimulatedCards cards(boolean hasNeighbour) {
        return new SimulatedCards(
                new SimulatedCards.Make(2, 1000, "A", hasNeighbour), holders, () -> now);
    }
}
