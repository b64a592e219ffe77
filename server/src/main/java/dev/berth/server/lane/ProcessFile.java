package dev.berth.server.lane;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The JSON file in which Berth and scripts outside of it tell each other of tries. A script that
 * replaces it knows nothing of Berth, and may do so at any moment. So Berth lets its own version
 * and the present one change names, and looks at what came out: if that is not what it had read,
 * somebody wrote in between, and what they wrote is merged in.
 */
public final class ProcessFile {

    private static final Logger log = LoggerFactory.getLogger(ProcessFile.class);

    /** So often; then it must be put in place whatever comes. */
    private static final int CAREFUL_ROUNDS = 5;

    /** Then whoever writes does nothing else, and Berth comes back later. */
    private static final int MOST_ROUNDS = 500;

    /** What was in hand so long before a server's start, or less, is not lost. */
    private static final Duration SALVAGED = Duration.ofMinutes(1);

    private final Supplier<Path> place;
    private final Swap swap;
    private final ReentrantLock writing = new ReentrantLock();
    private final ProcessFileEdits edits = new ProcessFileEdits();
    private volatile Seen seen = new Seen(Path.of(""), null);
    private volatile @Nullable ObjectNode whole;
    private @Nullable ProcessFileText written;
    private boolean hasToldOfSwap;

    private record Seen(Path file, @Nullable ProcessFileText text) {}

    /**
     * @param place where the file is, asked each time
     */
    public ProcessFile(Supplier<Path> place, Swap swap) {
        this.place = place;
        this.swap = swap;
    }

    /** As it stands; nothing where it is not there. Quick while it does not change. */
    ProcessFileText look() throws IOException {
        var file = place.get();
        var known = seen;
        if (known.text != null
                && known.file.equals(file)
                && known.text.isStill(ProcessFileText.Identity.of(file))) {
            return known.text;
        }
        var text = ProcessFileText.read(file);
        seen = new Seen(file, text);
        if (!text.isUnfinished()) {
            whole = text.tree();
        }
        return text;
    }

    /** What it said when it was last whole; nothing where that was never. Never waits. */
    Optional<ObjectNode> lastWhole() {
        return Optional.ofNullable(whole);
    }

    /** Something of others' may have been lost to a third, and is to be looked for. */
    boolean isToBeWatched() {
        writing.lock();
        try {
            return !edits.isEmpty(System.nanoTime());
        } finally {
            writing.unlock();
        }
    }

    /**
     * Lets {@code change} change the records that are there, and leaves them so. It may be asked
     * several times, each time about what has just been found.
     *
     * @return what was left there, or found to be so already
     */
    ProcessFileText update(Consumer<ObjectNode> change) throws IOException {
        writing.lock();
        try {
            var file = resolved(place.get());
            Files.createDirectories(file.toAbsolutePath().getParent());
            try (var _ = ProcessFileLock.take(file)) {
                salvage(file);
                return settle(file, change);
            }
        } finally {
            writing.unlock();
        }
    }

    /** What a link points to is replaced, not the link. */
    private static Path resolved(Path file) throws IOException {
        return Files.isSymbolicLink(file) && Files.exists(file) ? file.toRealPath() : file;
    }

    private static Path temporary(Path file) {
        return file.resolveSibling("." + file.getFileName() + ".berth");
    }

    /**
     * An earlier server ended between an exchange and what follows it. What came out then was
     * written just before; by what is older, records would come back that were removed since.
     */
    private void salvage(Path file) throws IOException {
        var temporary = temporary(file);
        if (!Files.exists(temporary, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            if (!Files.isRegularFile(temporary, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("it is not a file");
            }
            var written = Files.getLastModifiedTime(temporary).toInstant();
            if (written.isAfter(Instant.now().minus(SALVAGED))) {
                var left = ProcessFileText.read(temporary);
                edits.add(JsonNodeFactory.instance.objectNode(), left.tree(), System.nanoTime());
            }
        } catch (IOException unreadable) {
            // In the way of all writing.
            var aside = unused(file);
            Files.move(temporary, aside);
            log.warn("{} was set aside as {}: {}", temporary, aside, unreadable.toString());
            return;
        }
        Files.delete(temporary);
    }

    private ProcessFileText settle(Path file, Consumer<ObjectNode> change) throws IOException {
        @Nullable ProcessFileText hidden = null;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            var before = ProcessFileText.patiently(file);
            var isOurs = written != null && before.says(written);
            if (!isOurs) {
                edits.confirm(before.tree());
            }
            // Where nobody came after us, what we hid is the newest that others know.
            var tree = (isOurs && hidden != null ? hidden : before).tree().deepCopy();
            edits.apply(tree, System.nanoTime());
            change.accept(tree);
            if (!before.isBroken() && tree.equals(before.tree())) {
                return before;
            }
            var care =
                    round == 0
                            ? Care.DURABLE
                            : round < CAREFUL_ROUNDS && hidden == null ? Care.CURRENT : Care.NONE;
            var placed = place(new Round(file, before, ProcessFileText.of(tree), care));
            switch (placed) {
                case Placed.Done(var left) -> {
                    return left;
                }
                case Placed.Not _ -> {}
                case Placed.Over(var other) -> {
                    edits.confirm(other.tree());
                    edits.add(before.tree(), other.tree(), System.nanoTime());
                    hidden = other;
                }
            }
        }
        throw new IOException(file + " is being written all the time");
    }

    /** How much time a round takes. Where somebody else writes a lot, there is little. */
    private enum Care {
        /** It is on the disk before it is put in place. */
        DURABLE,
        /** A version that is no longer the newest is not even put in place. */
        CURRENT,
        /** While we hide what somebody wrote. */
        NONE
    }

    private record Round(Path file, ProcessFileText before, ProcessFileText ours, Care care) {}

    /** What became of a round. */
    private sealed interface Placed {
        record Done(ProcessFileText left) implements Placed {}

        /** Nothing has changed; it must be looked at again. */
        record Not() implements Placed {}

        /** It is in place, where somebody had put another meanwhile. */
        record Over(ProcessFileText other) implements Placed {}
    }

    private Placed place(Round round) throws IOException {
        var temporary = temporary(round.file);
        write(round, temporary);
        var ours = round.ours.at(ProcessFileText.Identity.of(temporary));
        if (round.before.isAbsent()) {
            return link(temporary, round.file) ? new Placed.Done(ours) : new Placed.Not();
        }
        if (round.care != Care.NONE
                && !round.before.identity().equals(ProcessFileText.Identity.of(round.file))) {
            Files.delete(temporary);
            return new Placed.Not();
        }
        try {
            if (!swap.exchange(temporary, round.file)) {
                return replace(round, temporary) ? new Placed.Done(ours) : new Placed.Not();
            }
        } catch (NoSuchFileException gone) {
            Files.deleteIfExists(temporary);
            return new Placed.Not();
        }
        written = round.ours;
        var out = broughtOut(temporary, round);
        if (out.isBroken()) {
            setAside(temporary, round.file);
            return new Placed.Not();
        }
        Files.delete(temporary);
        if (!out.isSameAs(round.before)) {
            return new Placed.Over(out);
        }
        seen = new Seen(place.get(), ours);
        whole = ours.tree();
        if (round.care != Care.DURABLE) {
            force(round.file);
        }
        return new Placed.Done(ours);
    }

    private static void force(Path file) throws IOException {
        try (var placed = FileChannel.open(file, StandardOpenOption.WRITE)) {
            placed.force(false);
        } catch (NoSuchFileException gone) {
            log.debug("{} was taken away", file);
        }
    }

    /** What cannot be read is put back. */
    private ProcessFileText broughtOut(Path temporary, Round round) throws IOException {
        try {
            var out = ProcessFileText.read(temporary);
            return out.isSameAs(round.before) ? out : ProcessFileText.patiently(temporary);
        } catch (IOException unreadable) {
            swap.exchange(temporary, round.file);
            throw unreadable;
        }
    }

    /** Others' right to read the file stays as it was. */
    private static void write(Round round, Path temporary) throws IOException {
        Set<PosixFilePermission> rights =
                round.before.isAbsent()
                        ? PosixFilePermissions.fromString("rw-------")
                        : rights(round.file);
        try (var out =
                FileChannel.open(
                        temporary,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(rights))) {
            var bytes = ByteBuffer.wrap(round.ours.bytes());
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            if (round.care == Care.DURABLE) {
                out.force(false);
            }
        } catch (IOException full) {
            Files.deleteIfExists(temporary);
            throw full;
        }
        // The server's umask may have taken some of them away.
        Files.setPosixFilePermissions(temporary, rights);
    }

    private static Set<PosixFilePermission> rights(Path file) throws IOException {
        try {
            return Files.getPosixFilePermissions(file);
        } catch (NoSuchFileException gone) {
            return PosixFilePermissions.fromString("rw-------");
        }
    }

    /** False where somebody was quicker. */
    private static boolean link(Path temporary, Path file) throws IOException {
        try {
            Files.createLink(file, temporary);
            return true;
        } catch (FileAlreadyExistsException quicker) {
            return false;
        } catch (UnsupportedOperationException | FileSystemException noLinks) {
            Files.move(temporary, file);
            return true;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Where names cannot be exchanged: what comes between the look and the step is lost. */
    private boolean replace(Round round, Path temporary) throws IOException {
        if (!hasToldOfSwap) {
            hasToldOfSwap = true;
            log.warn(
                    "the file system of {} cannot exchange files: what a script writes there in"
                            + " the very moment in which Berth does can be lost",
                    round.file);
        }
        if (!ProcessFileText.read(round.file).isSameAs(round.before)) {
            Files.delete(temporary);
            return false;
        }
        if (round.before.isBroken()) {
            Files.copy(round.file, unused(round.file));
            tellOfBroken(round.file);
        }
        Files.move(temporary, round.file, StandardCopyOption.ATOMIC_MOVE);
        return true;
    }

    private static void setAside(Path temporary, Path file) throws IOException {
        Files.move(temporary, unused(file));
        tellOfBroken(file);
    }

    private static void tellOfBroken(Path file) {
        log.warn("{} was no JSON object; it was set aside as {}.broken-N", file, file);
    }

    private static Path unused(Path file) {
        for (int number = 1; ; number++) {
            var name = file.resolveSibling(file.getFileName() + ".broken-" + number);
            if (!Files.exists(name)) {
                return name;
            }
        }
    }
}
