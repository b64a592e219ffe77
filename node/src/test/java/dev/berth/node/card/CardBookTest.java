package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** What is known of cards, answer by answer, on a clock that the test turns. */
class CardBookTest {

    private final CardBook book = new CardBook("here", at(0));

    @Test
    void whatTheProbeSaysIsWhatIsKnown() {
        book.answered(List.of(row("A", 0, 7), row("B", 1, 9)), at(0));
        assertThat(book.states())
                .extracting(state -> state.card().id().uuid())
                .containsExactly("A", "B");
        assertThat(readable("B").reading().utilizationPercent()).hasValue(9);
        assertThat(book.trouble()).isEmpty();
    }

    @Test
    void aFailureMakesAllUnknownAndTheNextAnswerMakesThemKnown() {
        book.answered(List.of(row("A", 0, 0)), at(0));
        book.failed("it exploded", at(1000));
        assertThat(state("A")).isInstanceOf(CardState.Unknown.class);
        assertThat(book.trouble()).contains("it exploded");
        book.answered(List.of(row("A", 0, 0)), at(2000));
        assertThat(state("A")).isInstanceOf(CardState.Readable.class);
        assertThat(book.trouble()).isEmpty();
    }

    @Test
    void noAnswerForTwoSecondsMakesAllUnknown() {
        book.answered(List.of(row("A", 0, 0)), at(0));
        book.waited("nvidia-smi", at(1999));
        assertThat(state("A")).isInstanceOf(CardState.Readable.class);
        book.waited("nvidia-smi", at(2000));
        assertThat(state("A")).isInstanceOf(CardState.Unknown.class);
    }

    @Test
    void aSlowDriverIsNoTroubleAndASilentOneIs() {
        book.answered(List.of(row("A", 0, 0)), at(0));
        book.waited("nvidia-smi", at(5999));
        assertThat(book.trouble()).isEmpty();
        book.answered(List.of(row("A", 0, 0)), at(5999));
        assertThat(state("A")).isInstanceOf(CardState.Readable.class);
        book.waited("nvidia-smi", at(11_999));
        assertThat(book.trouble().orElseThrow()).contains("nvidia-smi");
    }

    @Test
    void aCardThatIsMissingOnceChangesNothing() {
        both(0);
        book.answered(List.of(row("A", 0, 0)), at(1000));
        assertThat(state("B")).isInstanceOf(CardState.Readable.class);
        both(2000);
        book.answered(List.of(row("A", 0, 0)), at(3000));
        assertThat(state("B")).isInstanceOf(CardState.Readable.class);
    }

    @Test
    void aCardThatStaysMissingIsUnknownAndThenInErrorAndTheOthersAreNot() {
        both(0);
        book.answered(List.of(row("A", 0, 0)), at(1000));
        book.answered(List.of(row("A", 0, 0)), at(2000));
        assertThat(state("B")).isInstanceOf(CardState.Unknown.class);
        book.answered(List.of(row("A", 0, 0)), at(3000));
        assertThat(state("B"))
                .as("three answers over two seconds")
                .isInstanceOf(CardState.Unknown.class);
        book.answered(List.of(row("A", 0, 0)), at(4000));
        assertThat(state("B")).isInstanceOf(CardState.Failed.class);
        assertThat(state("A")).isInstanceOf(CardState.Readable.class);
        both(5000);
        assertThat(state("B")).isInstanceOf(CardState.Readable.class);
    }

    @Test
    void manyQuickAnswersWithoutACardAreNotThreeSeconds() {
        both(0);
        for (int tenth = 1; tenth <= 29; tenth++) {
            book.answered(List.of(row("A", 0, 0)), at(100L * tenth));
        }
        assertThat(state("B")).isInstanceOf(CardState.Unknown.class);
    }

    @Test
    void aCardInErrorStaysSoWhileNobodyAnswers() {
        both(0);
        for (int second = 1; second <= 4; second++) {
            book.answered(List.of(row("A", 0, 0)), at(1000L * second));
        }
        book.failed("no", at(5000));
        assertThat(state("B")).isInstanceOf(CardState.Failed.class);
    }

    @Test
    void whenNoCardAtAllIsListedTheAnswerIsNotBelieved() {
        both(0);
        book.answered(List.of(), at(1000));
        assertThat(book.trouble().orElseThrow()).contains("no GPU");
        for (int second = 2; second <= 9; second++) {
            book.answered(List.of(), at(1000L * second));
        }
        assertThat(state("A")).isInstanceOf(CardState.Unknown.class);
    }

    @Test
    void renumberedCardsStayTheSameCards() {
        both(0);
        book.answered(List.of(row("B", 0, 5), row("A", 1, 3)), at(1000));
        assertThat(state("A").card().index()).isEqualTo(1);
        assertThat(readable("A").reading().utilizationPercent()).hasValue(3);
        assertThat(book.states()).hasSize(2);
    }

    @Test
    void oneCardListedTwiceIsGarbage() {
        book.answered(List.of(row("A", 0, 0), row("A", 1, 0)), at(0));
        assertThat(book.trouble()).isPresent();
        book.answered(List.of(row("A", 0, 0), row("B", 0, 0)), at(0));
        assertThat(book.trouble()).isPresent();
        assertThat(book.states()).isEmpty();
    }

    @Test
    void theMeanIsThatOfTheLastSecond() {
        book.answered(List.of(row("A", 0, 100)), at(0));
        for (int tenth = 1; tenth <= 10; tenth++) {
            book.answered(List.of(row("A", 0, tenth % 2 == 0 ? 20 : 40)), at(100L * tenth));
        }
        assertThat(readable("A").reading().meanUtilizationPercent()).hasValue(30);
        assertThat(readable("A").reading().utilizationPercent()).hasValue(20);
    }

    @Test
    void aSplitCardIsNotGivenOut() {
        var whole = row("A", 0, 0);
        book.answered(
                List.of(
                        new CardRow(
                                whole.uuid(),
                                0,
                                whole.model(),
                                whole.totalMib(),
                                whole.reading(),
                                true)),
                at(0));
        assertThat(state("A")).asString().contains("MIG");
    }

    @Test
    void aSizeThatIsNotToldThisTimeIsRemembered() {
        var row = row("A", 0, 0);
        book.answered(List.of(row), at(0));
        var silent = new CardRow("A", 0, row.model(), OptionalLong.empty(), row.reading(), false);
        book.answered(List.of(silent), at(1000));
        assertThat(readable("A").card().totalMib()).isEqualTo(1000);
        var unheardOf =
                new CardRow("B", 1, row.model(), OptionalLong.empty(), row.reading(), false);
        book.answered(List.of(silent, unheardOf), at(2000));
        assertThat(state("B")).isInstanceOf(CardState.Unknown.class);
    }

    @Test
    void aCardThatTheDriverCannotReadIsUnknownAfterAMomentAndNotInErrorAndOthersAreNot() {
        both(0);
        unreadable("[Unknown Error]", 1000);
        assertThat(readable("B").reading().usedMib()).hasValue(0);
        for (int second = 2; second <= 20; second++) {
            unreadable("[Unknown Error]", 1000L * second);
            assertThat(state("B"))
                    .isInstanceOfSatisfying(
                            CardState.Unknown.class,
                            unknown -> assertThat(unknown.why()).contains("[Unknown Error]"));
        }
        assertThat(state("B").card().model()).as("as it was").isEqualTo("A100");
        assertThat(state("A")).isInstanceOf(CardState.Readable.class);
        both(21_000);
        assertThat(state("B")).isInstanceOf(CardState.Readable.class);
    }

    @Test
    void aCardThatIsLostIsAsGoodAsMissing() {
        both(0);
        unreadable("[GPU is lost]", 1000);
        assertThat(state("B")).isInstanceOf(CardState.Readable.class);
        unreadable("[GPU is lost]", 2000);
        unreadable("[GPU is lost]", 3000);
        assertThat(state("B")).isInstanceOf(CardState.Unknown.class);
        unreadable("[GPU is lost]", 4000);
        assertThat(state("B"))
                .isInstanceOfSatisfying(
                        CardState.Failed.class,
                        failed -> assertThat(failed.why()).contains("GPU is lost"));
    }

    @Test
    void aCardThatCouldNeverBeReadIsUnknownAtOnce() {
        unreadable("ERR!", 0);
        assertThat(state("B")).asString().contains("ERR!");
    }

    /** Card B, and card A as ever. */
    private void unreadable(String word, long millis) {
        var nothing =
                new Reading(
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty());
        book.answered(
                List.of(
                        row("A", 0, 0),
                        new CardRow(
                                "B",
                                1,
                                word,
                                OptionalLong.empty(),
                                nothing,
                                false,
                                Optional.of(word))),
                at(millis));
    }

    private void both(long millis) {
        book.answered(List.of(row("A", 0, 0), row("B", 1, 0)), at(millis));
    }

    private CardState state(String uuid) {
        return book.states().stream()
                .filter(state -> state.card().id().uuid().equals(uuid))
                .findFirst()
                .orElseThrow();
    }

    private CardState.Readable readable(String uuid) {
        return (CardState.Readable) state(uuid);
    }

    private static long at(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis) - 5;
    }

    private static CardRow row(String uuid, int index, int percent) {
        return new CardRow(
                uuid,
                index,
                "A100",
                OptionalLong.of(1000),
                new Reading(
                        OptionalLong.of(0),
                        OptionalLong.of(1000),
                        OptionalInt.of(percent),
                        OptionalInt.of(40),
                        OptionalInt.empty(),
                        Optional.of(List.of())),
                false);
    }
}
