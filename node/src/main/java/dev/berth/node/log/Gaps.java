package dev.berth.node.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The gaps of one log, in order, as the file {@code tmux.log.gaps} beside it lists them. */
record Gaps(List<Gap> list) {
    static final Gaps NONE = new Gaps(List.of());
    private static final Pattern LINE = Pattern.compile("(\\d{1,18}) (\\d{1,18})\n");

    Gaps {
        list = list.stream().sorted(Comparator.comparingLong(Gap::from)).toList();
    }

    static Path file(Path log) {
        return log.resolveSibling(log.getFileName() + ".gaps");
    }

    /**
     * @param size of the log: a gap beyond its end is of an earlier log, that the task itself cut
     *     short
     */
    static Gaps read(Path log, long size) throws IOException {
        try {
            var text = Files.readString(file(log), StandardCharsets.ISO_8859_1);
            return new Gaps(
                    LINE.matcher(text)
                            .results()
                            .flatMap(line -> gap(line, size).stream())
                            .toList());
        } catch (NoSuchFileException none) {
            return NONE;
        }
    }

    private static Optional<Gap> gap(MatchResult line, long size) {
        var from = Long.parseLong(line.group(1));
        var to = Long.parseLong(line.group(2));
        return from < to && to <= size ? Optional.of(new Gap(from, to)) : Optional.empty();
    }

    /** A reader finds the old list or the new one. */
    void write(Path log) throws IOException {
        var fresh = log.resolveSibling(log.getFileName() + ".gaps.new");
        var mode =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, mode);
        Files.writeString(
                fresh,
                list.stream()
                        .map(gap -> gap.from() + " " + gap.to() + "\n")
                        .collect(Collectors.joining()));
        Files.move(fresh, file(log), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The gap that holds this offset, or the next one after it. */
    Optional<Gap> atOrAfter(long offset) {
        return list.stream().filter(gap -> gap.to() > offset).findFirst();
    }

    /** The gap that ends at or before this offset, or holds the byte before it. */
    Optional<Gap> before(long offset) {
        return list.reversed().stream().filter(gap -> gap.from() < offset).findFirst();
    }
}
