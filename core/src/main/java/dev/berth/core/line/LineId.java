package dev.berth.core.line;

import dev.berth.core.task.Need;

import java.util.Comparator;

/**
 * One ordered waiting list. Lines do not wait for each other.
 *
 * @param name on the wire: auto, cpu, or the cards that its tasks name
 */
public record LineId(String name) implements Comparable<LineId> {

    /** Tasks that leave the choice of cards to Berth. */
    public static final LineId MAIN = new LineId("auto");

    /** Tasks without a card have nothing to wait for, so they never stand behind those that do. */
    public static final LineId CPU = new LineId("cpu");

    private static final Comparator<LineId> ORDER =
            Comparator.comparing((LineId line) -> !line.equals(MAIN))
                    .thenComparing(line -> !line.equals(CPU))
                    .thenComparing(line -> line.name.length())
                    .thenComparing(LineId::name);

    public static LineId of(Need need) {
        return switch (need) {
            case Need.Cpu _ -> CPU;
            case Need.Cards cards ->
                    cards.devices().map(devices -> new LineId(devices.word())).orElse(MAIN);
        };
    }

    @Override
    public int compareTo(LineId other) {
        return ORDER.compare(this, other);
    }
}
