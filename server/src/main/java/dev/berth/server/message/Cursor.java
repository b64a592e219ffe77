package dev.berth.server.message;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * How far a receiver has been told, in a file that outlives the server.
 *
 * @param seq of the last event that it got or did not want
 * @param isTold an alert says already that it can not be reached
 */
record Cursor(long seq, boolean isTold, Optional<Instant> delivered) {

    private static final Logger log = LoggerFactory.getLogger(Cursor.class);

    static Cursor at(long seq) {
        return new Cursor(seq, false, Optional.empty());
    }

    Cursor passed(long next) {
        return new Cursor(next, isTold, delivered);
    }

    Cursor delivered(long next, Instant at) {
        return new Cursor(next, false, Optional.of(at));
    }

    Cursor told() {
        return new Cursor(seq, true, delivered);
    }

    /** Nothing where there is none, or none that can be understood. */
    static Optional<Cursor> read(Path file) {
        try {
            var words = Files.readString(file, StandardCharsets.UTF_8).strip().split(" ");
            return Optional.of(
                    new Cursor(
                            Long.parseLong(words[0]),
                            words[1].equals("told"),
                            words.length > 2
                                    ? Optional.of(Instant.parse(words[2]))
                                    : Optional.empty()));
        } catch (IOException
                | NumberFormatException
                | ArrayIndexOutOfBoundsException
                | DateTimeParseException e) {
            if (Files.exists(file)) {
                log.warn("{} cannot be understood, so what it has missed is not sent", file);
            }
            return Optional.empty();
        }
    }

    String text() {
        return seq + (isTold ? " told" : " well") + delivered.map(at -> " " + at).orElse("") + "\n";
    }
}
