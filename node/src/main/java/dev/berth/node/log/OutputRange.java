package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;
import dev.berth.port.read.LogFiles.LogBounds;
import dev.berth.port.read.TaskLogs.LogPart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The part of a log that a reader gets: all of it, or the task's own output between the banners of
 * its start and its end. The first banners are at the beginning of the file. The last one counts
 * only at its end, so a task that prints the same text before more output hides nothing.
 *
 * @param from offset of the first byte
 * @param to offset after the last byte
 */
record OutputRange(long from, long to) {

    private static final String FIRST_LINE = "===== Scheduler Environment =====\n";
    private static final String FIRST_PYTHON = "Python on PATH: ";
    private static final String START_LINE = "===== Command Script Start =====\n";
    private static final String START_CONDA = "command -v conda: ";
    private static final String EXIT_LINE = "===== Command Script Exit =====\n";
    private static final String EXIT_PATH = "PATH: ";
    private static final String EXIT_PYTHON = "python -> ";

    /** A usual banner. A PATH can be much longer, but then a second read finds its end. */
    private static final int SHORT_BYTES = 4096;

    /** The shim prints at most 64 KiB of PATH, and 4 KiB of the path of python. */
    private static final int MAX_BANNER_BYTES = 80 * 1024;

    /** A longer log gets a newline before the second banner, whatever its last byte is. */
    private static final int ALWAYS_NEWLINE_BYTES = 16 * 1024;

    static OutputRange of(RegularFile file, long size, LogPart part) throws IOException {
        if (part == LogPart.WHOLE) {
            return new OutputRange(0, size);
        }
        long from = endOfFirstBanners(file, size);
        return new OutputRange(from, Math.max(from, startOfExitBanner(file, size)));
    }

    LogBounds bounds(long size) {
        return new LogBounds(from, to, size);
    }

    /**
     * Behind the banner of the shim and that of the command's shell. Between them is what the init
     * script prints; it is shown only if the command's shell got no further.
     */
    private static long endOfFirstBanners(RegularFile file, long size) throws IOException {
        var text = text(file.read(0, SHORT_BYTES));
        if (!text.startsWith(FIRST_LINE)) {
            return 0;
        }
        int end = endOfLine(text, START_CONDA, text.indexOf(START_LINE));
        if (end >= 0) {
            return end;
        }
        text = text(file.read(0, 2 * MAX_BANNER_BYTES));
        int shimEnd = endOfLine(text, FIRST_PYTHON, 0);
        int start = shimEnd < 0 ? -1 : text.indexOf(START_LINE, shimEnd);
        end = endOfLine(text, START_CONDA, start);
        boolean isBeingWritten = (shimEnd < 0 || start >= 0) && size <= text.length();
        return end >= 0 ? end : isBeingWritten ? size : Math.max(0, shimEnd);
    }

    /** The offset after the first line from {@code at} on that begins so, or -1. */
    private static int endOfLine(String text, String beginning, int at) {
        int line = at < 0 ? -1 : text.indexOf("\n" + beginning, at);
        int end = line < 0 ? -1 : text.indexOf('\n', line + 1);
        return end < 0 ? -1 : end + 1;
    }

    private static long startOfExitBanner(RegularFile file, long size) throws IOException {
        long shortStart = Math.max(0, size - SHORT_BYTES);
        var end = text(file.read(shortStart, (int) (size - shortStart)));
        if (!canEndBanner(end)) {
            return size;
        }
        // Two bytes before the banner are looked at, too.
        if (shortStart == 0 || end.lastIndexOf(EXIT_LINE) > 1) {
            return startOfExitBanner(end, shortStart, size);
        }
        long start = Math.max(0, size - MAX_BANNER_BYTES);
        return startOfExitBanner(text(file.read(start, (int) (size - start))), start, size);
    }

    /**
     * @param text the end of the log, from offset {@code start} on
     */
    private static long startOfExitBanner(String text, long start, long size) {
        int banner = text.lastIndexOf(EXIT_LINE);
        boolean beginsLine = banner == 0 || (banner > 0 && text.charAt(banner - 1) == '\n');
        if (!beginsLine || !isRestOfBanner(text.substring(banner + EXIT_LINE.length()))) {
            return size;
        }
        long at = start + banner;
        boolean hasExtraNewline =
                at > ALWAYS_NEWLINE_BYTES && banner > 1 && text.charAt(banner - 2) == '\n';
        return hasExtraNewline ? at - 1 : at;
    }

    /** A cheap test of the last line: most logs are read while their task writes. */
    private static boolean canEndBanner(String end) {
        int last = end.lastIndexOf('\n', end.length() - 2) + 1;
        var line = end.substring(last);
        return last == 0
                || line.equals(EXIT_LINE)
                || beginsLike(line, EXIT_PATH)
                || beginsLike(line, EXIT_PYTHON);
    }

    /** True if one of the two is the beginning of the other. */
    private static boolean beginsLike(String line, String banner) {
        return line.startsWith(banner) || banner.startsWith(line);
    }

    /** True for a whole banner and for the beginning of one that is being written. */
    private static boolean isRestOfBanner(String rest) {
        if (!rest.startsWith(EXIT_PATH)) {
            return EXIT_PATH.startsWith(rest);
        }
        int python = rest.indexOf("\n" + EXIT_PYTHON);
        int end = rest.indexOf('\n', python + 1);
        return end < 0
                || (python < 0
                        ? EXIT_PYTHON.startsWith(rest.substring(end + 1))
                        : end == rest.length() - 1);
    }

    /** One character per byte, so that positions are offsets. */
    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
