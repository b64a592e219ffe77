package dev.berth.core.gpu;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * One process on one GPU.
 *
 * @param usedMib GPU memory it holds; empty if the driver does not report it
 * @param program file name of the executable, without directories
 * @param startedAt when it started; empty if the host does not show it
 */
public record GpuProcess(
        long pid,
        OptionalLong usedMib,
        Kind kind,
        String program,
        ProcessOwner owner,
        Optional<Instant> startedAt) {

    /** Graphics processes (a desktop) are displayed but never keep a task from starting. */
    public enum Kind {
        COMPUTE,
        GRAPHICS
    }

    private static final Pattern PYTHON = Pattern.compile("python[0-9.]*");

    /** A Python compute process outside Berth, of the user that Berth's tasks run as. */
    public boolean isOwnPythonProcess() {
        return kind == Kind.COMPUTE
                && owner instanceof ProcessOwner.HostUser(_, boolean mine)
                && mine
                && PYTHON.matcher(program).matches();
    }

    /** A compute process of a user other than the one that Berth's tasks run as. */
    public boolean isOtherUsersCompute() {
        return kind == Kind.COMPUTE
                && switch (owner) {
                    case ProcessOwner.BerthAttempt _ -> false;
                    case ProcessOwner.HostUser(_, boolean mine) -> !mine;
                    case ProcessOwner.Unknown _ -> true;
                };
    }
}
