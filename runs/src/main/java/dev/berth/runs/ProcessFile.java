package dev.berth.runs;

import dev.berth.files.AtomicFile;
import dev.berth.files.UserPaths;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
 * The JSON file that Berth and external scripts share. A script replaces it without any locking, at
 * any time. So Berth exchanges its new version with the current file atomically and reads what it
 * got back: if that is not what it had read before, a script wrote in between, and its changes are
 * merged.
 */
public final class ProcessFile {

    private static final Logger log = LoggerFactory.getLogger(ProcessFile.class);

    /**
     * After this number of rounds the file is replaced without checking first that it is still
     * current.
     */
    private static final int CHECKED_ROUNDS = 5;

    /**
     * After this number of rounds the file is being written continuously; Berth gives up until
     * later.
     */
    private static final int MAX_ROUNDS = 500;

    /** A temporary file that was written at most this long before is recovered. */
    private static final Duration RECOVERED = Duration.ofMinutes(1);

    private final Supplier<Path> path;
    private final AtomicExchange fileExchange;
    private final UserPaths paths;
    private final ReentrantLock writing = new ReentrantLock();
    private final ScriptEdits edits = new ScriptEdits();
    private volatile Seen seen = new Seen(Path.of(""), null);
    private volatile @Nullable ObjectNode lastParsed;
    private @Nullable ProcessFileContent written;
    private boolean hasWarnedOfExchange;

    private record Seen(Path file, @Nullable ProcessFileContent text) {}

    /**
     * @param path evaluated for each access
     */
    public ProcessFile(Supplier<Path> path, AtomicExchange swap, UserPaths paths) {
        this.path = path;
        this.fileExchange = swap;
        this.paths = paths;
    }

    /** With threads of its own. */
    public ProcessFile(Supplier<Path> path, AtomicExchange swap) {
        this(path, swap, UserPaths.withOwnThreads());
    }

    /** Like {@link #read}, but fails if the file does not answer in time. */
    ProcessFileContent readInTime() throws IOException {
        return paths.access(path.get(), this::read);
    }

    /** The current content; empty if there is no file. Cheap while the file does not change. */
    ProcessFileContent read() throws IOException {
        var file = path.get();
        var known = seen;
        if (known.text != null
                && known.file.equals(file)
                && known.text.isUnchanged(ProcessFileContent.FileStamp.of(file))) {
            return known.text;
        }
        var text = ProcessFileContent.read(file);
        seen = new Seen(file, text);
        if (!text.isIncomplete()) {
            lastParsed = text.tree();
        }
        return text;
    }

    /** The content when it could last be parsed; empty if it never could. Never blocks. */
    Optional<ObjectNode> lastParsed() {
        return Optional.ofNullable(lastParsed);
    }

    /**
     * True while a change of a script may have been lost to another script, and must be checked.
     * Never blocks: an update that does not end counts as unconfirmed.
     */
    boolean hasUnconfirmedEdits() {
        if (!writing.tryLock()) {
            return true;
        }
        try {
            return !edits.isEmpty(System.nanoTime());
        } finally {
            writing.unlock();
        }
    }

    /**
     * Applies {@code change} to the current records and writes the result. It may be called several
     * times, each time with newly read records, on another thread, and also after this method has
     * failed because the file did not answer in time.
     *
     * @return the content that was written, or found to be unchanged
     */
    ProcessFileContent update(Consumer<ObjectNode> change) throws IOException {
        return paths.access(path.get(), () -> updateNow(change));
    }

    private ProcessFileContent updateNow(Consumer<ObjectNode> change) throws IOException {
        writing.lock();
        try {
            var file = resolved(path.get());
            Files.createDirectories(file.toAbsolutePath().getParent());
            try (var _ = ProcessFileLock.acquire(file)) {
                recover(file);
                return writeMerged(file, change);
            }
        } finally {
            writing.unlock();
        }
    }

    /** The target of a link is replaced, not the link. */
    private static Path resolved(Path file) throws IOException {
        return Files.isSymbolicLink(file) && Files.exists(file) ? file.toRealPath() : file;
    }

    private static Path temporary(Path file) {
        return file.resolveSibling("." + file.getFileName() + ".berth");
    }

    /**
     * Recovers the changes of a script if an earlier server stopped between the exchange and the
     * merge. Older temporary files are ignored: they could restore records that were removed since.
     */
    private void recover(Path file) throws IOException {
        var temporary = temporary(file);
        if (!Files.exists(temporary, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            if (!Files.isRegularFile(temporary, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("it is not a file");
            }
            var written = Files.getLastModifiedTime(temporary).toInstant();
            if (written.isAfter(Instant.now().minus(RECOVERED))) {
                var left = ProcessFileContent.read(temporary);
                edits.add(JsonNodeFactory.instance.objectNode(), left.tree(), System.nanoTime());
            }
        } catch (IOException unreadable) {
            // A file that cannot be read would block every write.
            var aside = unusedName(file);
            Files.move(temporary, aside);
            log.warn("{} was set aside as {}: {}", temporary, aside, unreadable.toString());
            return;
        }
        Files.delete(temporary);
    }

    private ProcessFileContent writeMerged(Path file, Consumer<ObjectNode> change)
            throws IOException {
        @Nullable ProcessFileContent hidden = null;
        for (int round = 0; round < MAX_ROUNDS; round++) {
            // In a large file, a content that Berth knows is compared and not parsed again.
            var before = ProcessFileContent.readComplete(file, Optional.ofNullable(seen.text));
            var isOurs = written != null && before.hasSameBytes(written);
            if (!isOurs) {
                edits.confirm(before.tree());
            }
            // If no other program wrote after us, the content that we replaced is the newest that
            // scripts know.
            var tree = (isOurs && hidden != null ? hidden : before).tree().deepCopy();
            edits.apply(tree, System.nanoTime());
            change.accept(tree);
            if (!before.isBroken() && tree.equals(before.tree())) {
                return before;
            }
            var care =
                    round == 0
                            ? Care.DURABLE
                            : round < CHECKED_ROUNDS && hidden == null ? Care.CURRENT : Care.NONE;
            var placed = place(new Round(file, before, ProcessFileContent.of(tree), care));
            switch (placed) {
                case Placed.Done(var left) -> {
                    return left;
                }
                case Placed.Retry _ -> {}
                case Placed.Overwrote(var other) -> {
                    edits.confirm(other.tree());
                    edits.add(before.tree(), other.tree(), System.nanoTime());
                    hidden = other;
                }
            }
        }
        throw new IOException(file + " is being written all the time");
    }

    /** How careful a round is. If a script writes often, there is little time. */
    private enum Care {
        /** Sync to disk before the exchange. */
        DURABLE,
        /** Give up before the exchange if the file has changed. */
        CURRENT,
        /** While a script's version is replaced by ours: as fast as possible. */
        NONE
    }

    private record Round(
            Path file, ProcessFileContent before, ProcessFileContent ours, Care care) {}

    /** The result of a round. */
    private sealed interface Placed {
        record Done(ProcessFileContent left) implements Placed {}

        /** Nothing has changed; the file must be read again. */
        record Retry() implements Placed {}

        /** It was written, but a script had replaced the file meanwhile. */
        record Overwrote(ProcessFileContent other) implements Placed {}
    }

    private Placed place(Round round) throws IOException {
        var temporary = temporary(round.file);
        write(round, temporary);
        var ours = round.ours.storedAt(ProcessFileContent.FileStamp.of(temporary));
        if (round.before.isAbsent()) {
            return link(temporary, round.file) ? new Placed.Done(ours) : new Placed.Retry();
        }
        if (round.care != Care.NONE
                && !round.before.identity().equals(ProcessFileContent.FileStamp.of(round.file))) {
            Files.delete(temporary);
            return new Placed.Retry();
        }
        try {
            if (!fileExchange.exchange(temporary, round.file)) {
                return replace(round, temporary) ? new Placed.Done(ours) : new Placed.Retry();
            }
        } catch (NoSuchFileException missing) {
            Files.deleteIfExists(temporary);
            return new Placed.Retry();
        }
        written = round.ours;
        var out = readReplaced(temporary, round);
        if (out.isBroken()) {
            setAside(temporary, round.file);
            return new Placed.Retry();
        }
        Files.delete(temporary);
        if (!out.isSameAs(round.before)) {
            return new Placed.Overwrote(out);
        }
        seen = new Seen(path.get(), ours);
        lastParsed = ours.tree();
        if (round.care != Care.DURABLE) {
            force(round.file);
        }
        return new Placed.Done(ours);
    }

    private static void force(Path file) throws IOException {
        try (var placed = FileChannel.open(file, StandardOpenOption.WRITE)) {
            placed.force(false);
        } catch (NoSuchFileException missing) {
            log.debug("{} was taken away", file);
        }
    }

    /** If it cannot be read, the exchange is undone. */
    private ProcessFileContent readReplaced(Path temporary, Round round) throws IOException {
        try {
            var out = ProcessFileContent.read(temporary, Optional.of(round.before));
            return out.isSameAs(round.before)
                    ? out
                    : ProcessFileContent.readComplete(temporary, Optional.empty());
        } catch (IOException unreadable) {
            fileExchange.exchange(temporary, round.file);
            throw unreadable;
        }
    }

    /** The permissions of the file are kept. */
    private static void write(Round round, Path temporary) throws IOException {
        Set<PosixFilePermission> rights =
                round.before.isAbsent()
                        ? PosixFilePermissions.fromString("rw-------")
                        : permissions(round.file);
        AtomicFile.create(temporary, round.ours.bytes(), rights, round.care == Care.DURABLE);
    }

    private static Set<PosixFilePermission> permissions(Path file) throws IOException {
        try {
            return Files.getPosixFilePermissions(file);
        } catch (NoSuchFileException missing) {
            return PosixFilePermissions.fromString("rw-------");
        }
    }

    /** False if another program created the file first. */
    private static boolean link(Path temporary, Path file) throws IOException {
        try {
            Files.createLink(file, temporary);
            return true;
        } catch (FileAlreadyExistsException exists) {
            return false;
        } catch (UnsupportedOperationException | FileSystemException noLinks) {
            Files.move(temporary, file);
            return true;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Without atomic exchange: a change between the check and the replacement is lost. */
    private boolean replace(Round round, Path temporary) throws IOException {
        if (!hasWarnedOfExchange) {
            hasWarnedOfExchange = true;
            log.warn(
                    "the file system of {} cannot exchange files: what a script writes there in"
                            + " the very moment in which Berth does can be lost",
                    round.file);
        }
        if (!ProcessFileContent.read(round.file).isSameAs(round.before)) {
            Files.delete(temporary);
            return false;
        }
        if (round.before.isBroken()) {
            Files.copy(round.file, unusedName(round.file));
            warnOfBroken(round.file);
        }
        AtomicFile.rename(temporary, round.file);
        return true;
    }

    private static void setAside(Path temporary, Path file) throws IOException {
        Files.move(temporary, unusedName(file));
        warnOfBroken(file);
    }

    private static void warnOfBroken(Path file) {
        log.warn("{} was no JSON object; it was set aside as {}.broken-N", file, file);
    }

    private static Path unusedName(Path file) {
        for (int number = 1; ; number++) {
            var name = file.resolveSibling(file.getFileName() + ".broken-" + number);
            if (!Files.exists(name)) {
                return name;
            }
        }
    }
}
