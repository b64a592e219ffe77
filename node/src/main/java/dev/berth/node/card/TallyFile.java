package dev.berth.node.card;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * A tally beside its attempt's log, for the next server. It is not synced: a machine that loses
 * power has lost the attempt, too.
 */
record TallyFile(Path path) {

    private static final String FORM = "1";
    private static final int WORDS = 7;
    private static final int MOST_BYTES = 512;

    /** None where there is no such file, or it makes no sense. */
    Optional<Tally> read() throws IOException {
        // Whoever runs the task can put a pipe in its place, which would be waited for.
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try (var file = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            return parse(new String(file.readNBytes(MOST_BYTES), StandardCharsets.US_ASCII));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    private static Optional<Tally> parse(String text) {
        var words = text.strip().split(" ", -1);
        if (words.length != WORDS || !words[0].equals(FORM)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Tally(sum(words, 1), sum(words, 4)));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    private static Tally.Sum sum(String[] words, int at) {
        return new Tally.Sum(
                Long.parseLong(words[at]),
                Double.parseDouble(words[at + 1]),
                Double.parseDouble(words[at + 2]));
    }

    void write(Tally tally) throws IOException {
        var draft = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(draft);
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        var mode =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var channel = Files.newByteChannel(draft, options, mode)) {
            var text = "%s %s %s\n".formatted(FORM, written(tally.memory()), written(tally.load()));
            channel.write(StandardCharsets.US_ASCII.encode(text));
        }
        Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String written(Tally.Sum sum) {
        return sum.peak() + " " + sum.total() + " " + sum.seconds();
    }
}
