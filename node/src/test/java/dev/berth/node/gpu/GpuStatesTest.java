package dev.berth.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** The states of GPUs, answer by answer, with a clock set by the test. */
class GpuStatesTest {

    private final GpuStates book = new GpuStates("here", at(0));

    @Test
    void keepsTheValuesOfTheProbe() {
        book.onAnswer(List.of(row("A", 0, 7), row("B", 1, 9)), at(0));
        assertThat(book.states())
                .extracting(state -> state.gpu().id().uuid())
                .containsExactly("A", "B");
        assertThat(readable("B").reading().utilizationPercent()).hasValue(9);
        assertThat(book.readFailure()).isEmpty();
    }

    @Test
    void aFailureMakesAllGpusUnknownUntilTheNextAnswer() {
        book.onAnswer(List.of(row("A", 0, 0)), at(0));
        book.onFailure("it exploded", at(1000));
        assertThat(state("A")).isInstanceOf(GpuState.Unknown.class);
        assertThat(book.readFailure()).contains("it exploded");
        book.onAnswer(List.of(row("A", 0, 0)), at(2000));
        assertThat(state("A")).isInstanceOf(GpuState.Readable.class);
        assertThat(book.readFailure()).isEmpty();
    }

    @Test
    void twoSecondsWithoutAnswerMakeAllGpusUnknown() {
        book.onAnswer(List.of(row("A", 0, 0)), at(0));
        book.onSilence("nvidia-smi", at(1999));
        assertThat(state("A")).isInstanceOf(GpuState.Readable.class);
        book.onSilence("nvidia-smi", at(2000));
        assertThat(state("A")).isInstanceOf(GpuState.Unknown.class);
    }

    @Test
    void aSilentDriverIsAFailureAndASlowOneIsNot() {
        book.onAnswer(List.of(row("A", 0, 0)), at(0));
        book.onSilence("nvidia-smi", at(5999));
        assertThat(book.readFailure()).isEmpty();
        book.onAnswer(List.of(row("A", 0, 0)), at(5999));
        assertThat(state("A")).isInstanceOf(GpuState.Readable.class);
        book.onSilence("nvidia-smi", at(11_999));
        assertThat(book.readFailure().orElseThrow()).contains("nvidia-smi");
    }

    @Test
    void aSingleMissingAnswerChangesNothing() {
        both(0);
        book.onAnswer(List.of(row("A", 0, 0)), at(1000));
        assertThat(state("B")).isInstanceOf(GpuState.Readable.class);
        both(2000);
        book.onAnswer(List.of(row("A", 0, 0)), at(3000));
        assertThat(state("B")).isInstanceOf(GpuState.Readable.class);
    }

    @Test
    void aMissingGpuBecomesUnknownAndThenFailed() {
        both(0);
        book.onAnswer(List.of(row("A", 0, 0)), at(1000));
        book.onAnswer(List.of(row("A", 0, 0)), at(2000));
        assertThat(state("B")).isInstanceOf(GpuState.Unknown.class);
        book.onAnswer(List.of(row("A", 0, 0)), at(3000));
        assertThat(state("B"))
                .as("three answers over two seconds")
                .isInstanceOf(GpuState.Unknown.class);
        book.onAnswer(List.of(row("A", 0, 0)), at(4000));
        assertThat(state("B")).isInstanceOf(GpuState.Failed.class);
        assertThat(state("A")).isInstanceOf(GpuState.Readable.class);
        both(5000);
        assertThat(state("B")).isInstanceOf(GpuState.Readable.class);
    }

    @Test
    void manyFastAnswersDoNotReplaceTheThreeSeconds() {
        both(0);
        for (int tenth = 1; tenth <= 29; tenth++) {
            book.onAnswer(List.of(row("A", 0, 0)), at(100L * tenth));
        }
        assertThat(state("B")).isInstanceOf(GpuState.Unknown.class);
    }

    @Test
    void aFailedGpuStaysFailedWhileTheDriverIsSilent() {
        both(0);
        for (int second = 1; second <= 4; second++) {
            book.onAnswer(List.of(row("A", 0, 0)), at(1000L * second));
        }
        book.onFailure("no", at(5000));
        assertThat(state("B")).isInstanceOf(GpuState.Failed.class);
    }

    @Test
    void anEmptyListIsRejected() {
        both(0);
        book.onAnswer(List.of(), at(1000));
        assertThat(book.readFailure().orElseThrow()).contains("no GPU");
        for (int second = 2; second <= 9; second++) {
            book.onAnswer(List.of(), at(1000L * second));
        }
        assertThat(state("A")).isInstanceOf(GpuState.Unknown.class);
    }

    @Test
    void renumberedGpusKeepTheirIdentity() {
        both(0);
        book.onAnswer(List.of(row("B", 0, 5), row("A", 1, 3)), at(1000));
        assertThat(state("A").gpu().index()).isEqualTo(1);
        assertThat(readable("A").reading().utilizationPercent()).hasValue(3);
        assertThat(book.states()).hasSize(2);
    }

    @Test
    void aGpuListedTwiceIsAnInvalidAnswer() {
        book.onAnswer(List.of(row("A", 0, 0), row("A", 1, 0)), at(0));
        assertThat(book.readFailure()).isPresent();
        book.onAnswer(List.of(row("A", 0, 0), row("B", 0, 0)), at(0));
        assertThat(book.readFailure()).isPresent();
        assertThat(book.states()).isEmpty();
    }

    @Test
    void theMeanCoversTheLastSecond() {
        book.onAnswer(List.of(row("A", 0, 100)), at(0));
        for (int tenth = 1; tenth <= 10; tenth++) {
            book.onAnswer(List.of(row("A", 0, tenth % 2 == 0 ? 20 : 40)), at(100L * tenth));
        }
        assertThat(readable("A").reading().meanUtilizationPercent()).hasValue(30);
        assertThat(readable("A").reading().utilizationPercent()).hasValue(20);
    }

    @Test
    void aMigGpuIsNotSchedulable() {
        var whole = row("A", 0, 0);
        book.onAnswer(
                List.of(
                        new ProbedGpu(
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
    void aMissingMemorySizeIsTakenFromTheLastAnswer() {
        var row = row("A", 0, 0);
        book.onAnswer(List.of(row), at(0));
        var silent = new ProbedGpu("A", 0, row.model(), OptionalLong.empty(), row.reading(), false);
        book.onAnswer(List.of(silent), at(1000));
        assertThat(readable("A").gpu().totalMib()).isEqualTo(1000);
        var unheardOf =
                new ProbedGpu("B", 1, row.model(), OptionalLong.empty(), row.reading(), false);
        book.onAnswer(List.of(silent, unheardOf), at(2000));
        assertThat(state("B")).isInstanceOf(GpuState.Unknown.class);
    }

    @Test
    void anUnreadableGpuBecomesUnknownButNotFailed() {
        both(0);
        unreadable("[Unknown Error]", 1000);
        assertThat(readable("B").reading().usedMib()).hasValue(0);
        for (int second = 2; second <= 20; second++) {
            unreadable("[Unknown Error]", 1000L * second);
            assertThat(state("B"))
                    .isInstanceOfSatisfying(
                            GpuState.Unknown.class,
                            unknown -> assertThat(unknown.reason()).contains("[Unknown Error]"));
        }
        assertThat(state("B").gpu().model()).as("as it was").isEqualTo("A100");
        assertThat(state("A")).isInstanceOf(GpuState.Readable.class);
        both(21_000);
        assertThat(state("B")).isInstanceOf(GpuState.Readable.class);
    }

    @Test
    void aLostGpuCountsAsMissing() {
        both(0);
        unreadable("[GPU is lost]", 1000);
        assertThat(state("B")).isInstanceOf(GpuState.Readable.class);
        unreadable("[GPU is lost]", 2000);
        unreadable("[GPU is lost]", 3000);
        assertThat(state("B")).isInstanceOf(GpuState.Unknown.class);
        unreadable("[GPU is lost]", 4000);
        assertThat(state("B"))
                .isInstanceOfSatisfying(
                        GpuState.Failed.class,
                        failed -> assertThat(failed.reason()).contains("GPU is lost"));
    }

    @Test
    void aGpuThatWasNeverReadableIsUnknownImmediately() {
        unreadable("ERR!", 0);
        assertThat(state("B")).asString().contains("ERR!");
    }

    /** GPU B with the given data, and GPU A unchanged. */
    private void unreadable(String word, long millis) {
        var nothing =
                new GpuReading(
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty());
        book.onAnswer(
                List.of(
                        row("A", 0, 0),
                        new ProbedGpu(
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
        book.onAnswer(List.of(row("A", 0, 0), row("B", 1, 0)), at(millis));
    }

    private GpuState state(String uuid) {
        return book.states().stream()
                .filter(state -> state.gpu().id().uuid().equals(uuid))
                .findFirst()
                .orElseThrow();
    }

    private GpuState.Readable readable(String uuid) {
        return (GpuState.Readable) state(uuid);
    }

    private static long at(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis) - 5;
    }

    private static ProbedGpu row(String uuid, int index, int percent) {
        return new ProbedGpu(
                uuid,
                index,
                "A100",
                OptionalLong.of(1000),
                new GpuReading(
                        OptionalLong.of(0),
                        OptionalLong.of(1000),
                        OptionalInt.of(percent),
                        OptionalInt.of(40),
                        OptionalInt.empty(),
                        Optional.of(List.of())),
                false);
    }
}
