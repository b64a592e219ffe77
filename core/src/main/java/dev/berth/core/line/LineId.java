package dev.berth.core.line;

import dev.berth.core.task.Need;

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

    public static LineId of(Need need) {
        return switch (need) {
            case Need.Cpu _ -> CPU;
            case Need.Cards cards ->
                    cards.devices().map(devices -> new LineId(devices.word())).orElse(MAIN);
        };
    }

    /** The main line, those without a card, then by the cards' numbers. */
    @Override
    public int compareTo(LineId other) {
        int byKind = Integer.compare(kind(), other.kind());
        if (byKind != 0) {
            return byKind;
        }
        int byLength = Integer.compare(name.length(), other.name.length());
        return byLength != 0 ? byLength : name.compareTo(other.name);
    }

    private int kind() {
        return switch (name) {
            case "auto" -> 0;
            case "cpu" -> 1;
            default -> 2;
        };
    }
}
