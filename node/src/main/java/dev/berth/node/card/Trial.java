package dev.berth.node.card;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One card's way back: it answers well for a while, then it is tried. Whatever speaks against it
 * meanwhile begins the while anew. Reads no clock.
 */
final class Trial {

    /** So many readings over such a time. */
    static final int READINGS = 3;

    static final Duration WHILE = Duration.ofSeconds(3);

    private final CardId card;
    private final long begun;
    private final Duration patience;
    private int index;
    private boolean isInUse;
    private int good;
    private long goodSince;
    private long goodAt;
    private int round;
    private Canary canary = Canary.WAITS;
    private Optional<String> doubt = Optional.of("it has not been read since");
    private Optional<String> failure = Optional.empty();

    private enum Canary {
        WAITS,
        OUT,
        BACK
    }

    /** What is to be done about it now. */
    sealed interface Step {
        record Wait() implements Step {}

        /**
         * Try whether it computes.
         *
         * @param round names this try
         */
        record Try(int index, int round) implements Step {}

        record Passed() implements Step {}

        record Failed(String why) implements Step {}
    }

    Trial(CardId card, Duration patience, long now) {
        this.card = card;
        this.patience = patience;
        this.begun = now;
    }

    CardId card() {
        return card;
    }

    long begun() {
        return begun;
    }

    /**
     * @param asked when the reading was begun
     */
    void read(Optional<CardState> state, long asked, long now) {
        if (asked - begun < 0) {
            return;
        }
        var against =
                switch (state.orElse(null)) {
                    case null -> Optional.of("the driver does not list it");
                    case CardState.Unknown(_, var why) -> Optional.of(why);
                    case CardState.Failed(_, var why) -> Optional.of(why);
                    case CardState.Readable(var it, var reading) -> {
                        index = it.index();
                        isInUse = isInUse(reading);
                        yield reading.usedMib().isPresent()
                                ? Optional.<String>empty()
                                : Optional.of("its memory cannot be read");
                    }
                };
        if (against.isPresent()) {
            against(against.get());
            return;
        }
        if (good++ == 0) {
            goodSince = now;
        }
        goodAt = now;
    }

    private static boolean isInUse(Reading reading) {
        return reading.occupants().orElse(List.of()).stream()
                .anyMatch(one -> one.kind() == Occupant.Kind.COMPUTE);
    }

    /** Something speaks against it. */
    void against(String why) {
        doubt = Optional.of(why);
        good = 0;
        round++;
        if (canary == Canary.BACK) {
            canary = Canary.WAITS;
        }
    }

    /** A try has ended; one that something came between says nothing. */
    void tried(int which, Optional<String> why) {
        canary = which == round && why.isEmpty() ? Canary.BACK : Canary.WAITS;
        failure = which == round ? why : Optional.empty();
    }

    /**
     * @param complaint of the driver, about its health
     */
    Step step(Optional<String> complaint, long now) {
        if (failure.isPresent()) {
            return new Step.Failed(failure.get());
        }
        if (canary == Canary.OUT) {
            return new Step.Wait();
        }
        boolean isGood = good >= READINGS && goodAt - goodSince >= WHILE.toNanos();
        if (isGood && complaint.isEmpty()) {
            // Whoever computes there is not to be disturbed, and shows that it computes.
            if (canary == Canary.BACK || isInUse) {
                return new Step.Passed();
            }
            canary = Canary.OUT;
            return new Step.Try(index, round);
        }
        if (now - begun >= patience.toNanos()) {
            return new Step.Failed(isGood ? complaint.get() : lasting(complaint));
        }
        return new Step.Wait();
    }

    private String lasting(Optional<String> complaint) {
        return doubt.filter(_ -> good == 0)
                .or(() -> complaint)
                .or(() -> doubt)
                .orElse("it did not answer well for " + WHILE.toSeconds() + " s");
    }
}
