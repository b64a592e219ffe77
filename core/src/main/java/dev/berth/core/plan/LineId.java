package dev.berth.core.plan;

import dev.berth.core.task.Need;

/** One ordered waiting list. Lines do not wait for each other. */
public record LineId(String name) implements Comparable<LineId> {

    public static final LineId MAIN = new LineId("main");

    /** Tasks without a card have nothing to wait for, so they never stand behind those that do. */
    public static final LineId CPU = new LineId("cpu");

    public static LineId of(Need need) {
        return switch (need) {
            case Need.Cpu _ -> CPU;
            case Need.Cards _ -> MAIN;
        };
    }

    @Override
    public int compareTo(LineId other) {
        return name.compareTo(other.name);
    }
}
