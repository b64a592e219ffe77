package dev.berth.core.card;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * One process on one card.
 *
 * @param usedMib what it holds there, where the driver says
 * @param program its name, without directories
 * @param since when it started, where the host shows it
 */
public record Occupant(
        long pid,
        OptionalLong usedMib,
        Kind kind,
        String program,
        Whose whose,
        Optional<Instant> since) {

    /** What it does there. Graphics (a desktop) is shown, and stands in nobody's way. */
    public enum Kind {
        COMPUTE,
        GRAPHICS
    }

    private static final Pattern PYTHON = Pattern.compile("python[0-9.]*");

    /** Outside Berth, Python of the user that Berth's tasks run as computes here. */
    public boolean isOwnPython() {
        return kind == Kind.COMPUTE
                && whose instanceof Whose.User(_, boolean mine)
                && mine
                && PYTHON.matcher(program).matches();
    }

    /** Computes here for somebody who is not the user that Berth's tasks run as. */
    public boolean isAnotherUsersWork() {
        return kind == Kind.COMPUTE
                && switch (whose) {
                    case Whose.Ours _ -> false;
                    case Whose.User(_, boolean mine) -> !mine;
                    case Whose.Unknown _ -> true;
                };
    }
}
