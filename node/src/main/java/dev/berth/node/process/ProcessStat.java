package dev.berth.node.process;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A line of {@code /proc/PID/stat}, as far as Berth cares.
 *
 * @param program its name for itself, at most 15 bytes, which may hold blanks and parentheses
 * @param session the pid of the process that opened its session
 * @param startTick when it started, in hundredths of a second since boot
 */
public record ProcessStat(
        long pid,
        String program,
        char state,
        long parent,
        long session,
        int threads,
        long startTick,
        Environment environment) {

    /** What there is to read of a process's environment. */
    enum Environment {
        PRESENT,
        /** It was started without any variable; or it is just being loaded. */
        EMPTY,
        /**
         * Just between two programs: that of the first is gone, that of the second not there yet.
         */
        LOADING,
        /** A thread of the kernel has none, and another user's is not ours to see. */
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

    /** Shown as the address of the program's code where we may not know it. */
    private static final long HIDDEN = 1;

    /**
     * A zombie has ended and only waits to be asked how. But the first thread of a program may end
     * before the others: then the kernel calls it a zombie while the program runs on.
     */
    public boolean isAlive() {
        return switch (state) {
            case 'Z', 'X', 'x' -> threads > 1;
            default -> true;
        };
    }

    public boolean isStopped() {
        return state == 'T';
    }

    /** Empty where the line is not of this form. */
    static Optional<ProcessStat> parse(byte[] line) {
        var open = indexOf(line, '(');
        // The name may hold anything, but nothing after it holds a parenthesis.
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
                        read == numbers.length ? environment(numbers) : Environment.NONE));
    }

    private static Environment environment(long[] numbers) {
        if (numbers[MEMORY] == 0 || numbers[CODE] == HIDDEN) {
            return Environment.NONE;
        }
        if (numbers[ENVIRONMENT_END] == 0) {
            return Environment.LOADING;
        }
        return numbers[ENVIRONMENT_BEGIN] == numbers[ENVIRONMENT_END]
                ? Environment.EMPTY
                : Environment.PRESENT;
    }

    /** Reads the fields after the state; returns up to which one. Very large ones wrap around. */
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

    private static int indexOf(byte[] line, char wanted) {
        for (var i = 0; i < line.length; i++) {
            if (line[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static int lastIndexOf(byte[] line, char wanted) {
        for (var i = line.length - 1; i >= 0; i--) {
            if (line[i] == wanted) {
                return i;
            }
        }
        return -1;
    }
}
