package dev.berth.core.task;

import java.util.Optional;
import java.util.OptionalLong;

/** What a task must be given before it can start. */
public sealed interface Need {

    /** No card at all: it never waits for one and sees none. */
    record Cpu() implements Need {}

    /**
     * A number of cards at once.
     *
     * @param model only cards of this exact name
     * @param memoryMib memory that must be free on each; without it a card must be nearly empty
     */
    record Cards(int count, Optional<String> model, OptionalLong memoryMib) implements Need {
        public Cards {
            if (count < 1) {
                throw new IllegalArgumentException(
                        "a card task needs 1 card or more, not " + count);
            }
        }
    }

    Need CPU = new Cpu();

    static Need cards(int count) {
        return new Cards(count, Optional.empty(), OptionalLong.empty());
    }
}
