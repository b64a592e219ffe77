package dev.berth.node.log;

import dev.berth.files.AtomicFile;
import dev.berth.node.linux.RegularFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The gaps of one log in order, as listed in the file {@code tmux.log.gaps} beside it. */
record GapList(List<Gap> list) {
    static final GapList NONE = new GapList(List.of());

    /** Berth writes one gap; older versions wrote a few. */
    private static final int MAX_BYTES = 64 * 1024;

    private static final long MIN_HOLE = 1024 * 1024;

    /** A log that was written in order has a few. */
    private static final int MAX_PIECES = 1000;

    private static final Pattern LINE = Pattern.compile("(\\d{1,18}) (\\d{1,18})\n");

    GapList {
        list = list.stream().sorted(Comparator.comparingLong(Gap::from)).toList();
    }

    static Path file(Path log) {
        return log.resolveSibling(log.getFileName() + ".gaps");
    }

    /**
     * @param size of the log. A gap beyond the end belongs to an earlier content that the task
     *     truncated, and is ignored
     */
    static GapList read(Path log, long size) throws IOException {
        try {
            var text =
                    new String(
                            RegularFile.readStart(file(log), MAX_BYTES),
                            StandardCharsets.ISO_8859_1);
            return new GapList(
                    LINE.matcher(text)
                            .results()
                            .flatMap(line -> gap(line, size).stream())
                            .toList());
        } catch (NoSuchFileException | RegularFile.NotRegularFileException none) {
            return NONE;
        }
    }

    /**
     * The gaps and the large holes that the task itself made, so that a reader passes over them: a
     * task can give its log a size of many terabytes without writing a byte.
     */
    static GapList of(RegularFile file, Path log, long size) throws IOException {
        var listed = read(log, size);
        if (size - file.extent().allocated() < MIN_HOLE) {
            return listed;
        }
        var all = new ArrayList<>(listed.list);
        for (var hole : file.holes(size, MIN_HOLE, MAX_PIECES)) {
            all.add(new Gap(hole.from(), hole.to()));
        }
        return new GapList(joined(new GapList(all).list));
    }

    /** Gaps that overlap or touch become one. */
    private static List<Gap> joined(List<Gap> sorted) {
        var joined = new ArrayList<Gap>();
        for (var gap : sorted) {
            if (!joined.isEmpty() && joined.getLast().to() >= gap.from()) {
                var last = joined.removeLast();
                joined.add(new Gap(last.from(), Math.max(last.to(), gap.to())));
            } else {
                joined.add(gap);
            }
        }
        return joined;
    }

    private static Optional<Gap> gap(MatchResult line, long size) {
        var from = Long.parseLong(line.group(1));
        var to = Long.parseLong(line.group(2));
        return from < to && to <= size ? Optional.of(new Gap(from, to)) : Optional.empty();
    }

    /** Atomic: a reader finds the old list or the new one. */
    void write(Path log) throws IOException {
        var file = file(log);
        var text =
                list.stream()
                        .map(gap -> gap.from() + " " + gap.to() + "\n")
                        .collect(Collectors.joining());
        AtomicFile.replace(
                file,
                text.getBytes(StandardCharsets.ISO_8859_1),
                AtomicFile.Options.unsynced(file.getFileName() + ".new"));
    }

    /** The gap that contains this offset, or the next one after it. */
    Optional<Gap> atOrAfter(long offset) {
        return list.stream().filter(gap -> gap.to() > offset).findFirst();
    }

    /** The gap that ends at or before this offset, or contains the byte before it. */
    Optional<Gap> before(long offset) {
        return list.reversed().stream().filter(gap -> gap.from() < offset).findFirst();
    }
}
