package dev.berth.node.card;

import dev.berth.core.plan.Rules;

import java.nio.file.Path;
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
        CardSource source, Optional<Path> nvidiaSmi, Optional<Path> nvml, Rules rules) {

    public static CardSettings of(CardSource source) {
        return new CardSettings(source, Optional.empty(), Optional.empty(), Rules.USUAL);
    }
}
