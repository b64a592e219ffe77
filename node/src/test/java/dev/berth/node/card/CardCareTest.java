package dev.berth.node.card;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Fault;
import dev.berth.core.card.Reading;
import dev.berth.engine.port.Fact;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is done about sick cards, on a clock that the test turns. */
class CardCareTest {

    private static final Card CARD = new Card(new CardId("here", "GPU-1"), 3, "A100", 1000);

    @TempDir private Path folder;
    private final List<Fact> told = new CopyOnWriteArrayList<>();
    private final AtomicLong now = new AtomicLong();
    private final Staged probe = new Staged();
    private CardCare care;

    /** A driver that says what the test wants. */
    private static final class Staged implements CardProbe {
        private final AtomicInteger looks = new AtomicInteger();
        private volatile Optional<List<Health>> health = Optional.of(List.of(said(0, false)));
        private volatile boolean isImmediate;
        private volatile XidEar ear;

        @Override
        public List<CardRow> read() {
            return List.of();
        }

        @Override
        public boolean isImmediate() {
            return isImmediate;
        }

        @Override
        public HealthProbe health() {
            return () -> {
                looks.incrementAndGet();
                return health.orElseThrow(() -> ProbeFailure.answer("what?"));
            };
        }

        @Override
        public void listen(XidEar listener) {
            ear = listener;
        }

        @Override
        public String name() {
            return "staged";
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void open() {
        care("true");
    }

    private void care(String command) {
        var settings =
                new CardSettings.Care(
                        Duration.ofSeconds(30), Optional.of(command), folder.resolve("none"));
        care = new CardCare("here", settings, probe, "none", now::get);
        care.reportTo(told::add);
    }

    @AfterEach
    void close() {
        care.close();
    }

    @Test
    void healthIsReadEveryTenSecondsAndEverySecondWhileACardIsTested() {
        for (int second = 0; second < 20; second++) {
            readingAt(second);
        }
        assertThat(probe.looks).hasValue(2);
        care.test(CARD.id());
        for (int second = 20; second < 23; second++) {
            readingAt(second);
        }
        assertThat(probe.looks).hasValue(5);
    }

    @Test
    void aDriverThatDoesNotAnswerIsNotAskedForHealth() {
        care.read(List.of(), false, 0, 0);
        care.tick(0);
        readingAt(1);
        assertThat(probe.looks).hasValue(1);
    }

    @Test
    void aSignIsToldOfTheCardItIsAboutAndHeardBothWaysItIsOne() {
        readingAt(0);
        probe.ear.heard("GPU-1", 79);
        probe.ear.heard(new PciAddress(0, 6, 0), 79);
        probe.ear.heard(new PciAddress(0, 9, 9), 79);
        assertThat(told)
                .containsExactly(
                        new Fact.CardSick(
                                CARD.id(), Fault.Kind.XID, "Xid 79: GPU has fallen off the bus"));
        probe.health = Optional.of(List.of(said(2, false)));
        readingAt(10);
        assertThat(told).hasSize(2).last().asString().contains("2 uncorrected");
    }

    @Test
    void aCardThatAnswersWellAndComputesPassesOnce() {
        care.test(CARD.id());
        care.test(CARD.id());
        for (int second = 0; second < 4; second++) {
            readingAt(second);
        }
        eventually("it has passed", () -> !told.isEmpty());
        readingAt(5);
        assertThat(told).containsExactly(new Fact.CardTested(CARD.id(), Optional.empty()));
        care.test(CARD.id());
        now.set(Duration.ofSeconds(60).toNanos());
        care.tick(now.get());
        assertThat(told).hasSize(2).last().asString().contains("not been read");
    }

    @Test
    void aSignDuringTheTestBeginsItAnewAndOneThatStaysFailsIt() {
        care.test(CARD.id());
        readingAt(0);
        readingAt(1);
        readingAt(2);
        probe.ear.heard("GPU-1", 48);
        readingAt(3);
        readingAt(4);
        assertThat(told).as("its sign alone").hasSize(1);
        probe.health = Optional.of(List.of(said(0, true)));
        for (int second = 5; second <= 30; second++) {
            readingAt(second);
        }
        assertThat(told)
                .filteredOn(Fact.CardTested.class::isInstance)
                .singleElement()
                .asString()
                .contains("reset");
    }

    @Test
    void whereHealthCannotBeAskedReadingsAndTheTestDecide() {
        probe.health = Optional.empty();
        care.close();
        care("echo 'it burns'; exit 1");
        care.test(CARD.id());
        for (int second = 0; second < 4; second++) {
            readingAt(second);
        }
        eventually("it has failed", () -> !told.isEmpty());
        assertThat(told).containsExactly(new Fact.CardTested(CARD.id(), Optional.of("it burns")));
    }

    @Test
    void aSimulatedCardIsNotTried() {
        probe.isImmediate = true;
        care.close();
        care("exit 1");
        care.test(CARD.id());
        for (int second = 0; second < 4; second++) {
            readingAt(second);
        }
        assertThat(told).containsExactly(new Fact.CardTested(CARD.id(), Optional.empty()));
        assertThat(probe.looks).hasValue(0);
    }

    /** And the look at its health that follows, if one does, is over. */
    private void readingAt(long second) {
        long at = Duration.ofSeconds(second).toNanos();
        now.set(at);
        var reading =
                new Reading(
                        OptionalLong.of(0),
                        OptionalLong.of(1000),
                        OptionalInt.of(0),
                        OptionalInt.of(30));
        care.read(List.of(new CardState.Readable(CARD, reading)), true, at, at);
        eventually("its health is read", () -> !care.isLooking());
    }

    private static Health said(long errors, boolean isPending) {
        return new Health(
                "GPU-1",
                Optional.of(new PciAddress(0, 6, 0)),
                OptionalLong.of(errors),
                isPending,
                false,
                false,
                Optional.empty());
    }
}
