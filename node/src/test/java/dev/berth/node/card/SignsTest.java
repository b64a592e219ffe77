package dev.berth.node.card;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Fault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Which cards are not to be trusted, look by look, on a clock that the test turns. */
class SignsTest {

    private static final PciAddress PLACE = new PciAddress(0, 6, 0);
    private static final Health WELL = health(3, false, false);

    private final Signs signs = new Signs();

    @Test
    void errorsFromBeforeAreNoNewsAndEveryFurtherOneIs() {
        assertThat(look(WELL, 0)).isEmpty();
        assertThat(look(WELL, 10)).isEmpty();
        assertThat(look(health(5, false, false), 20))
                .singleElement()
                .satisfies(sign -> assertThat(sign.kind()).isEqualTo(Fault.Kind.ECC))
                .satisfies(sign -> assertThat(sign.why()).contains("2 uncorrected"));
        assertThat(look(health(5, false, false), 30)).as("told").isEmpty();
        assertThat(look(health(0, false, false), 40)).as("the driver was reloaded").isEmpty();
        assertThat(look(health(1, false, false), 50)).hasSize(1);
    }

    @Test
    void aRepairThatComesToWaitForAResetIsASignOnceAndOneThatWaitedBeforeIsNot() {
        assertThat(look(health(3, true, false), 0)).isEmpty();
        assertThat(look(WELL, 10)).isEmpty();
        assertThat(look(health(3, true, false), 20)).hasSize(1);
        assertThat(look(health(3, true, false), 30)).isEmpty();
        assertThat(signs.complaint("GPU-1", at(25))).isPresent();
    }

    @Test
    void aRepairThatFailedIsASignWheneverItIsSeenFirst() {
        assertThat(look(health(0, false, true), 0)).hasSize(1);
        assertThat(look(health(0, false, true), 10)).isEmpty();
    }

    @Test
    void aFigureThatIsNotToldOnceHidesNoRise() {
        look(WELL, 0);
        var silent =
                new Health(
                        "GPU-1",
                        Optional.of(PLACE),
                        OptionalLong.empty(),
                        false,
                        false,
                        false,
                        Optional.empty());
        assertThat(look(silent, 10)).isEmpty();
        assertThat(look(health(4, false, false), 20)).hasSize(1);
    }

    @Test
    void heatIsASignWhenItHasLastedAndAgainWhenItHasBeenOver() {
        assertThat(look(hot(), 0)).isEmpty();
        assertThat(look(hot(), 10)).isEmpty();
        assertThat(look(hot(), 20)).as("three looks over 20 s").isEmpty();
        assertThat(look(hot(), 30))
                .singleElement()
                .satisfies(sign -> assertThat(sign.kind()).isEqualTo(Fault.Kind.HOT));
        assertThat(look(hot(), 40)).isEmpty();
        assertThat(signs.complaint("GPU-1", at(40))).isPresent();
        look(WELL, 50);
        assertThat(signs.complaint("GPU-1", at(50))).isEmpty();
        look(hot(), 60);
        assertThat(look(hot(), 100)).as("two looks over 40 s").isEmpty();
        assertThat(look(hot(), 110)).hasSize(1);
    }

    @Test
    void aCardThatIsToBeResetIsNotToBeTrustedAndOneThatIsToBeDrainedMayFinish() {
        look(WELL, 0);
        assertThat(look(asking("Drain and Reset"), 10)).isEmpty();
        assertThat(look(asking("Reset"), 20))
                .singleElement()
                .satisfies(sign -> assertThat(sign.kind()).isEqualTo(Fault.Kind.XID))
                .satisfies(sign -> assertThat(sign.why()).contains("Reset"));
        assertThat(look(asking("Reset"), 30)).isEmpty();
        assertThat(signs.complaint("GPU-1", at(30)).orElseThrow()).contains("Reset");
    }

    @ParameterizedTest
    @ValueSource(ints = {79, 74, 119, 120, 62, 143})
    void hardwareThatFailsIsASign(int number) {
        assertThat(signs.heard("GPU-1", number, at(0)).orElseThrow())
                .satisfies(sign -> assertThat(sign.kind()).isEqualTo(Fault.Kind.XID))
                .satisfies(sign -> assertThat(sign.why()).startsWith("Xid " + number + ": "));
    }

    @ParameterizedTest
    @ValueSource(ints = {48, 64, 94, 95, 140})
    void memoryThatCannotBeTrustedIsASign(int number) {
        assertThat(signs.heard("GPU-1", number, at(0)).orElseThrow().kind())
                .isEqualTo(Fault.Kind.ECC);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 13, 31, 32, 43, 45, 63, 68, 69, 92, 154, 4711})
    void whatAProgramCanBringAboutOrNobodyKnowsTakesNoCardAway(int number) {
        assertThat(signs.heard("GPU-1", number, at(0))).isEmpty();
    }

    @Test
    void anErrorThatIsHeardTwiceIsOneSignUntilTheCardWasTested() {
        look(WELL, 0);
        assertThat(signs.cardAt(PLACE)).contains("GPU-1");
        assertThat(signs.heard("GPU-1", 79, at(1))).isPresent();
        assertThat(signs.heard("GPU-1", 79, at(2))).isEmpty();
        assertThat(signs.heard("GPU-2", 79, at(2))).as("another card").isPresent();
        assertThat(signs.heard("GPU-1", 48, at(2))).as("another error").isPresent();
        signs.tested("GPU-1");
        assertThat(signs.heard("GPU-1", 79, at(3))).isPresent();
        assertThat(signs.heard("GPU-1", 79, at(602))).isEmpty();
        assertThat(signs.heard("GPU-1", 79, at(604))).as("ten minutes later").isPresent();
    }

    @Test
    void onlyALookThatWasBegunSinceSpeaksForACard() {
        assertThat(signs.complaint("GPU-1", at(0))).as("nobody can look").isEmpty();
        look(WELL, 0);
        assertThat(signs.complaint("GPU-1", at(5)).orElseThrow()).contains("could not be read");
        look(WELL, 6);
        assertThat(signs.complaint("GPU-1", at(5))).isEmpty();
    }

    private List<Signs.Sign> look(Health health, long second) {
        return signs.looked(List.of(health), at(second), at(second));
    }

    private static Health health(long uncorrected, boolean isPending, boolean isFailed) {
        return new Health(
                "GPU-1",
                Optional.of(PLACE),
                OptionalLong.of(uncorrected),
                isPending,
                isFailed,
                false,
                Optional.empty());
    }

    private static Health hot() {
        return new Health(
                "GPU-1",
                Optional.of(PLACE),
                OptionalLong.of(3),
                false,
                false,
                true,
                Optional.empty());
    }

    private static Health asking(String remedy) {
        return new Health(
                "GPU-1",
                Optional.of(PLACE),
                OptionalLong.of(3),
                false,
                false,
                false,
                Optional.of(remedy));
    }

    private static long at(long second) {
        return TimeUnit.SECONDS.toNanos(second) - 5;
    }
}
