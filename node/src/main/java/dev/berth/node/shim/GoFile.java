package dev.berth.node.shim;

import dev.berth.core.task.ProcessKey;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The right to start an attempt: whoever creates this file has it, and nobody after. */
public sealed interface GoFile {
    String TOMBSTONE = "tombstone: closed by the server, nothing was started here\n";
    Pattern TAKEN = Pattern.compile("(\\d{1,18}) (\\d{1,18}) ([0-9a-f-]{36})\n");
    int LONGEST = 4096;

    /** Nobody has started, and anybody may. */
    record Absent() implements GoFile {}

    /** Somebody has created it and not yet written who, or never will. */
    record Empty() implements GoFile {}

    record Taken(ProcessKey shim) implements GoFile {}

    /** The server took it: nothing has run and nothing will. */
    record Tombstone() implements GoFile {}

    /** It was taken, and it cannot be told by whom. */
    record Damaged() implements GoFile {}

    static GoFile read(Path file) throws IOException {
        String text;
        try (var stream = Files.newInputStream(file)) {
            text = new String(stream.readNBytes(LONGEST), StandardCharsets.UTF_8);
        } catch (NoSuchFileException absent) {
            return new Absent();
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

    /** Takes the right to start for nobody. False where somebody has it: then read again. */
    static boolean close(Path file) throws IOException {
        return AttemptDirectory.create(file, TOMBSTONE);
    }
}
