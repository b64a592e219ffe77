package dev.berth.node.shim;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.RegularFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The right to start an attempt. The process that creates this file has it, and no other process
 * can get it afterwards.
 */
public sealed interface GoFile {
    String TOMBSTONE = "tombstone: closed by the server, nothing was started here\n";
    Pattern TAKEN = Pattern.compile("(\\d{1,18}) (\\d{1,18}) ([0-9a-f-]{36})(?: ([^\\n]*))?\n");
    int MAX_CHARS = 4096;

    /** No process has started, and any may. */
    record Absent() implements GoFile {}

    /** A process created it and has not written its identity yet, or died before it could. */
    record Empty() implements GoFile {}

    record Taken(ProcessKey shim) implements GoFile {}

    /**
     * Where a cluster runs it, as its shim wrote it behind its process; empty if it runs on this
     * host, or has not started.
     */
    static Optional<String> place(Path file) throws IOException {
        try {
            var text = new String(RegularFile.readStart(file, MAX_CHARS), StandardCharsets.UTF_8);
            var taken = TAKEN.matcher(text);
            return taken.matches() ? Optional.ofNullable(taken.group(4)) : Optional.empty();
        } catch (NoSuchFileException | RegularFile.NotRegularFileException absent) {
            return Optional.empty();
        }
    }

    /** The server created it: no command has run here, and none will. */
    record Tombstone() implements GoFile {}

    /** It was created, but its creator cannot be determined. */
    record Damaged() implements GoFile {}

    static GoFile read(Path file) throws IOException {
        String text;
        try {
            text = new String(RegularFile.readStart(file, MAX_CHARS), StandardCharsets.UTF_8);
        } catch (NoSuchFileException absent) {
            return new Absent();
        } catch (RegularFile.NotRegularFileException replaced) {
            return new Damaged();
        }
        if (text.isEmpty()) {
            return new Empty();
        }
        if (text.equals(TOMBSTONE)) {
            return new Tombstone();
        }
        var taken = TAKEN.matcher(text);
        return taken.matches()
                ? new Taken(
                        new ProcessKey(
                                taken.group(3),
                                Long.parseLong(taken.group(1)),
                                Long.parseLong(taken.group(2))))
                : new Damaged();
    }

    /**
     * Creates the file as a tombstone, so that no process can start. False if the file exists
     * already; then read it again. It gets its name when it is complete: a server that is killed
     * here leaves no empty file, which would look like a shim that died before it could write.
     */
    static boolean writeTombstone(Path file) throws IOException {
        var complete = file.resolveSibling(file.getFileName() + ".tombstone");
        Files.deleteIfExists(complete);
        try {
            AttemptDirectory.create(complete, TOMBSTONE);
            Files.createLink(file, complete);
            return true;
        } catch (FileAlreadyExistsException taken) {
            return false;
        } finally {
            Files.deleteIfExists(complete);
        }
    }
}
