package dev.berth.node.card;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.plan.Foreign;
import dev.berth.core.plan.Pool;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Node;
import dev.berth.testkit.Script;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

class CardWatchTest {

    private static final AttemptId ONE = new AttemptId(new TaskId(1), 1);

    @TempDir private Path folder;
    private final List<Fact.CardsRead> told = new CopyOnWriteArrayList<>();

    @Test
    void anEndedAttemptIsOffWhenALaterReadingDoesNotListIt() throws IOException {
        try (var watch = open(new CardSource.Auto(), Rules.USUAL)) {
            // Told of no card before, where the program takes its time.
            eventually(
                    "the card is known",
                    () -> told.stream().anyMatch(fact -> !fact.cards().isEmpty()));
            watch.granted(attempt("GPU-1"));
            assertThat(watch.vacate(ONE, true)).isFalse();
            assertThat(told).allMatch(fact -> fact.departures().isEmpty());
            watch.awaitDeparture(ONE);
            eventually(
                    "it has departed",
                    () ->
                            told.stream()
                                    .flatMap(fact -> fact.departures().stream())
                                    .toList()
                                    .equals(List.of(new Fact.Departure(ONE, true))));
        }
    }

    @Test
    void anAttemptThatNeverRanLeavesNothing() throws IOException {
        try (var watch = open(new CardSource.Auto(), Rules.USUAL)) {
            watch.granted(attempt("GPU-1"));
            assertThat(watch.vacate(ONE, false)).isTrue();
        }
    }

    @Test
    void simulatedCardsAreReadBeforeTheEndIsTold() throws IOException {
        var source = new CardSource.Simulated(1, 1000, "A");
        try (var watch = open(source, Rules.USUAL)) {
            watch.granted(attempt("SIM-000"));
            watch.came(ONE, new Run(new ProcessKey("boot", 7, 1), Instant.now()));
            eventually("the card is in use", () -> used() == 500);
            assertThat(watch.vacate(ONE, true)).isTrue();
            assertThat(used()).isZero();
        }
    }

    @Test
    void whatASimulatedTaskWasPromisedIsWhatItUsedAndTheNextServerKnows() throws IOException {
        var source = new CardSource.Simulated(2, 1000, "A");
        var run = new Run(new ProcessKey("boot", 7, 1), Instant.now());
        try (var watch = open(source, Rules.USUAL)) {
            assertThat(watch.consumption(ONE)).isEmpty();
            watch.granted(attempt("SIM-000"));
            watch.came(ONE, run);
            eventually("it was seen", () -> watch.consumption(ONE).isPresent());
            assertThat(watch.consumption(ONE).orElseThrow())
                    .satisfies(used -> assertThat(used.peakMib()).isEqualTo(500))
                    .satisfies(used -> assertThat(used.meanMib()).isEqualTo(500))
                    .satisfies(used -> assertThat(used.peakPercent()).isPresent());
        }
        try (var next = open(new CardSource.Simulated(2, 600, "A"), Rules.USUAL)) {
            next.granted(attempt("SIM-001", new Phase.Running(run)));
            assertThat(next.consumption(ONE).orElseThrow().peakMib()).isEqualTo(500);
            assertThat(next.vacate(ONE, true)).isTrue();
            assertThat(next.consumption(ONE)).isEmpty();
        }
    }

    @Test
    void aCardIsLookedAtOnceMoreBeforeAStart() throws IOException {
        var source = new CardSource.Simulated(1, 1000, "A");
        var rules = new Rules(20, Foreign.YIELD, reserved(0));
        var terms = new Node.Terms(false, rules, Duration.ofMinutes(1));
        try (var watch = open(source, rules)) {
            var card = told.getLast().cards().getFirst().card();
            var spec = TaskSpec.of("a", "true", Need.cards(1), "/");
            var order = new Node.Launch(attempt("SIM-000"), spec, List.of(card), terms);
            assertThat(watch.refusal(order)).contains(new Refusal.Reserved());
            var cpu = TaskSpec.of("a", "true", Need.CPU, "/");
            assertThat(watch.refusal(new Node.Launch(attempt("SIM-000"), cpu, List.of(), terms)))
                    .isEmpty();
        }
    }

    @Test
    void numbersThatNoCardHasAreWarnedAboutOnce() throws IOException {
        var warnings = new CopyOnWriteArrayList<String>();
        var logger = Logger.getLogger(CardWatch.class.getName());
        var listener = listener(warnings);
        logger.addHandler(listener);
        var pool = new Pool(Optional.of(new TreeSet<>(List.of(0, 5))), new TreeSet<>());
        try (var watch =
                open(new CardSource.Simulated(2, 1000, "A"), new Rules(20, Foreign.YIELD, pool))) {
            assertThat(watch.probe()).isEqualTo("simulation");
            eventually("it is said", () -> !warnings.isEmpty());
            assertThat(warnings).singleElement().asString().contains("[5]");
        } finally {
            logger.removeHandler(listener);
        }
    }

    private static Handler listener(List<String> warnings) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                // A watch that was closed a moment ago may still have something to say.
                if (entry.getMessage().contains("not here")) {
                    warnings.add(entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    private static Pool reserved(int index) {
        return new Pool(Optional.empty(), new TreeSet<>(List.of(index)));
    }

    private long used() {
        return told.getLast().cards().getFirst() instanceof CardState.Readable(_, var reading)
                ? reading.usedMib().orElse(-1)
                : -1;
    }

    private static Attempt attempt(String uuid) {
        return attempt(uuid, new Phase.Starting());
    }

    private static Attempt attempt(String uuid, Phase phase) {
        var claim = new Claim(new CardId("here", uuid), 0, true);
        return new Attempt(ONE, "here", 1, "boot", List.of(claim), Instant.EPOCH, phase);
    }

    private Path notes(AttemptId attempt) {
        return folder.resolve("notes-" + attempt);
    }

    /** With a program that always tells of one idle card. */
    private CardWatch open(CardSource source, Rules rules) throws IOException {
        var smi =
                Script.write(
                        folder.resolve("nvidia-smi"),
                        """
                        #!/bin/bash
                        [[ $1 == --query-gpu=* ]] && echo '0, GPU-1, A100, 100, 0, 100, 0, 30, Disabled'
                        exit 0
                        """);
        var settings = new CardSettings(source, Optional.of(smi), Optional.empty(), rules);
        var watch = CardWatch.open("here", "home", settings, this::notes);
        watch.reportTo(fact -> told.add((Fact.CardsRead) fact));
        return watch;
    }
}
