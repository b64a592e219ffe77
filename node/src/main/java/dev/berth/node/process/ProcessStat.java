package dev.berth.node.process;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The fields of {@code /proc/PID/stat} that Berth uses.
 *
 * @param program its own name for itself, at most 15 bytes, which may contain blanks and
 *     parentheses
 * @param session the pid of the process that opened its session
 * @param startTick time of its start, in hundredths of a second since boot
 */
public record ProcessStat(
        long pid,
        String program,
        char state,
        long parent,
        long session,
        int threadCount,
        long startTick,
        EnvironmentState environment) {

    /** State of a process's environment. */
    enum EnvironmentState {
        PRESENT,
        /** It was started without variables, or it is being loaded right now. */
        EMPTY,
        /**
         * Between two programs: the environment of the first is gone, that of the second does not
         * exist yet.
         */
        LOADING,
        /** A kernel thread has none, and that of another user's process is not readable. */
        NONE
    }

    // Fields after the program's name, counted from 0.
    private static final int STATE = 0;
    private static final int PARENT = 1;
    private static final int SESSION = 3;
    private static final int THREADS = 17;
    private static final int START = 19;
    private static final int MEMORY = 20;
    private static final int CODE = 23;
    private static final int ENVIRONMENT_BEGIN = 47;
    private static final int ENVIRONMENT_END = 48;

    /**
     * The kernel shows this as the address of the program's code if we may not see the real one.
     */
    private static final long HIDDEN = 1;

    /**
     * A zombie has ended and waits to be reaped. But the first thread of a program may end before
     * the others; then the kernel reports a zombie although the program still runs.
     */
    public boolean isAlive() {
        return switch (state) {
            case 'Z', 'X', 'x' -> threadCount > 1;
            default -> true;
        };
    }

    public boolean isStopped() {
        return state == 'T';
    }

    /** Empty if the line has another format. */
    static Optional<ProcessStat> parse(byte[] line) {
        var open = indexOf(line, '(');
        // The name may contain any character, but no parenthesis follows after it.
        var close = lastIndexOf(line, ')');
        if (open < 2 || close < open || close + 2 >= line.length) {
            return Optional.empty();
        }
        var numbers = new long[ENVIRONMENT_END + 1];
        var read = numbers(line, close + 4, numbers);
        if (read <= START) {
            return Optional.empty();
        }
        return Optional.of(
                new ProcessStat(
                        number(line, open - 1),
                        new String(line, open + 1, close - open - 1, StandardCharsets.UTF_8),
                        (char) line[close + 2],
                        numbers[PARENT],
                        numbers[SESSION],
                        (int) numbers[THREADS],
                        numbers[START],
                        read == numbers.length ? environment(numbers) : EnvironmentState.NONE));
    }

    private static EnvironmentState environment(long[] numbers) {
        if (numbers[MEMORY] == 0 || numbers[CODE] == HIDDEN) {
            return EnvironmentState.NONE;
        }
        if (numbers[ENVIRONMENT_END] == 0) {
            return EnvironmentState.LOADING;
        }
        return numbers[ENVIRONMENT_BEGIN] == numbers[ENVIRONMENT_END]
                ? EnvironmentState.EMPTY
                : EnvironmentState.PRESENT;
    }

    /**
     * Parses the fields after the state. Returns the number of the first field that is missing.
     * Very large values overflow.
     */
    private static int numbers(byte[] line, int from, long[] numbers) {
        var at = from;
        for (var field = STATE + 1; field < numbers.length; field++) {
            var isNegative = at < line.length && line[at] == '-';
            long value = 0;
            for (at += isNegative ? 1 : 0; isDigit(line, at); at++) {
                value = value * 10 + (line[at] - '0');
            }
            if (at >= line.length) {
                return field;
            }
            numbers[field] = isNegative ? -value : value;
            at++;
        }
        return numbers.length;
    }

    private static boolean isDigit(byte[] line, int at) {
        return at < line.length && line[at] >= '0' && line[at] <= '9';
    }

    private static long number(byte[] line, int end) {
        long value = 0;
        for (var i = 0; i < end; i++) {
            value = value * 10 + (line[i] - '0');
        }
        return value;
    }

    private static int indexOf(byte[] line, char character) {
        for (var i = 0; i < line.length; i++) {
            if (line[i] == character) {
                return i;
            }
        }
        return -1;
    }

    private static int lastIndexOf(byte[] line, char character) {
        for (var i = line.length - 1; i >= 0; i--) {
            if (line[i] == character) {
                return i;
            }
        }
        return -1;
    }
}
