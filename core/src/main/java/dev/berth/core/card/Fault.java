package dev.berth.core.card;

import java.time.Instant;

/**
 * Why a card is out of use: nothing starts there until it has passed a test or a person hands it
 * back.
 *
 * @param since when it was taken out
 */
public record Fault(CardId card, Kind kind, String why, Instant since, Stage stage) {

    /** What was noticed. */
    public enum Kind {
        /** The driver no longer lists it. */
        MISSING(true),
        /** The driver reported an error of the hardware. */
        XID(true),
        /** Its memory cannot be trusted. */
        ECC(true),
        /** It is so hot that it slows itself down. */
        HOT(false),
        /** Different tasks failed on it, one after another, in the way of a broken card. */
        FAILURES(false),
        /** Somebody took it out. */
        PERSON(false);

        private final boolean endsWork;

        Kind(boolean endsWork) {
            this.endsWork = endsWork;
        }

        /** Whether what runs there is ended; otherwise it may finish. */
        public boolean endsWork() {
            return endsWork;
        }

        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** What is to become of it. */
    public enum Stage {
        /** It is being tested, and comes back if it passes. */
        TESTING,
        /** It stays out until a person acts. */
        OUT
    }

    public Fault with(Stage other) {
        return new Fault(card, kind, why, since, other);
    }
}
