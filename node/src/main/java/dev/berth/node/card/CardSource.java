package dev.berth.node.card;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The word after {@code --gpus}. */
public sealed interface CardSource {

    /** The cards of node {@code node} as they are now. */
    List<CardState> read(String node);

    /** No cards: only tasks on {@code cpu} can run. */
    record None() implements CardSource {
        @Override
        public List<CardState> read(String node) {
            return List.of();
        }

        @Override
        public String toString() {
            return "none";
        }
    }

    /** Cards that exist in name only, for trying Berth without a GPU. */
    record Simulated(int count, long mib, String model) implements CardSource {
        @Override
        public List<CardState> read(String node) {
            return IntStream.range(0, count)
                    .<CardState>mapToObj(
                            index ->
                                    new CardState.Readable(
                                            new Card(
                                                    new CardId(node, "SIM-%03d".formatted(index)),
                                                    index,
                                                    model,
                                                    mib),
                                            new Reading(
                                                    OptionalLong.of(0),
                                                    OptionalLong.of(mib),
                                                    OptionalInt.of(0),
                                                    OptionalInt.of(40))))
                    .toList();
        }

        @Override
        public String toString() {
            return "sim:" + count + "x" + mib + ":" + model;
        }
    }

    Pattern SIMULATED = Pattern.compile("sim:(\\d{1,4})x(\\d{1,8})(?::(.{1,100}))?");

    /**
     * @throws IllegalArgumentException that says what may be written
     */
    static CardSource parse(String text) {
        if (text.equals("none") || text.equals("auto")) {
            return new None();
        }
        var match = SIMULATED.matcher(text);
        if (!match.matches() || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "--gpus takes auto, none or sim:COUNTxMIB[:NAME] (for example"
                            + " sim:4x24576), not \""
                            + text
                            + "\"");
        }
        int count = Integer.parseInt(match.group(1));
        long mib = Long.parseLong(match.group(2));
        if (count < 1 || mib < 1) {
            throw new IllegalArgumentException(
                    "--gpus " + text + ": count and memory are 1 or more");
        }
        return new Simulated(count, mib, match.group(3) == null ? "Simulated GPU" : match.group(3));
    }
}
