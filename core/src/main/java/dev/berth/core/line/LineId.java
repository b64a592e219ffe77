package dev.berth.core.line;

import dev.berth.core.task.Lane;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;

import java.util.Comparator;

/**
 * One ordered waiting list. Lines do not wait for each other.
 *
 * @param name on the wire: auto, cpu, the cards that its tasks name, or a lane's word
 * @param principal whose lane it is, where somebody named it
 */
public record LineId(Kind kind, String name, String principal) implements Comparable<LineId> {

    /** In the order in which they are shown. */
    public enum Kind {
        MAIN,
        CPU,
        DEVICES,
        LANE
    }

    /** Tasks that leave the choice of cards to Berth. */
    public static final LineId MAIN = new LineId(Kind.MAIN, "auto", "");

    /** Tasks without a card have nothing to wait for, so they never stand behind those that do. */
    public static final LineId CPU = new LineId(Kind.CPU, "cpu", "");

    private static final Comparator<LineId> ORDER =
            Comparator.comparing(LineId::kind)
                    .thenComparing(line -> line.name.length())
                    .thenComparing(LineId::name)
                    .thenComparing(LineId::principal);

    public static LineId of(Task task) {
        return task.spec()
                .lane()
                .map(lane -> of(lane, task.owner().principal()))
                .orElseGet(() -> of(task.spec().need()));
    }

    /** Of a task in no lane. */
    static LineId of(Need need) {
        return switch (need) {
            case Need.Cpu _ -> CPU;
            case Need.Cards cards ->
                    cards.devices()
                            .map(devices -> new LineId(Kind.DEVICES, devices.word(), ""))
                            .orElse(MAIN);
        };
    }

    private static LineId of(Lane lane, String principal) {
        return switch (lane) {
            case Lane.Named(String name) -> new LineId(Kind.LANE, name, principal);
            case Lane.OfRun run -> new LineId(Kind.LANE, run.word(), "");
        };
    }

    /** The main line, those without a card, by the cards' numbers, then lanes. */
    @Override
    public int compareTo(LineId other) {
        return ORDER.compare(this, other);
    }
}
