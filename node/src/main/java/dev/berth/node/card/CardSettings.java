package dev.berth.node.card;

import dev.berth.core.plan.Rules;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What a node is told about its cards.
 *
 * @param nvidiaSmi the program to ask; where it is named and the source is {@code auto}, it is
 *     asked and nothing else
 * @param nvml the library to load in place of the driver's
 * @param rules looked at once more just before a start
 */
public record CardSettings(
        CardSource source, Optional<Path> nvidiaSmi, Optional<Path> nvml, Rules rules, Care care) {

    /**
     * What is done about cards that fail.
     *
     * @param recovery how long one that was taken out has to answer well again
     * @param test a command that tries a card, in place of Berth's own test
     * @param kernelLog where the driver's errors are read from
     */
    public record Care(Duration recovery, Optional<String> test, Path kernelLog) {

        public static final Care USUAL =
                new Care(Duration.ofSeconds(30), Optional.empty(), Path.of("/dev/kmsg"));
    }

    public CardSettings(
            CardSource source, Optional<Path> nvidiaSmi, Optional<Path> nvml, Rules rules) {
        this(source, nvidiaSmi, nvml, rules, Care.USUAL);
    }

    public static CardSettings of(CardSource source) {
        return new CardSettings(source, Optional.empty(), Optional.empty(), Rules.USUAL);
    }
}
