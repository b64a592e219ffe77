package dev.berth.notify;

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
 * The position of a receiver in the events, stored in a file that survives restarts.
 *
 * @param seq the last event that was sent or skipped
 * @param isAlertRaised an alert has already reported that the receiver cannot be reached
 */
record EventCursor(long seq, boolean isAlertRaised, Optional<Instant> delivered) {

    private static final Logger log = LoggerFactory.getLogger(EventCursor.class);

    static EventCursor at(long seq) {
        return new EventCursor(seq, false, Optional.empty());
    }

    EventCursor skippedTo(long next) {
        return new EventCursor(next, isAlertRaised, delivered);
    }

    EventCursor delivered(long next, Instant at) {
        return new EventCursor(next, false, Optional.of(at));
    }

    EventCursor withAlertRaised() {
        return new EventCursor(seq, true, delivered);
    }

    /** Empty if there is no file or it cannot be parsed. */
    static Optional<EventCursor> read(Path file) {
        try {
            var fields = Files.readString(file, StandardCharsets.UTF_8).strip().split(" ");
            return Optional.of(
                    new EventCursor(
                            Long.parseLong(fields[0]),
                            fields[1].equals("told"),
                            fields.length > 2
                                    ? Optional.of(Instant.parse(fields[2]))
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
        return seq
                + (isAlertRaised ? " told" : " well")
                + delivered.map(at -> " " + at).orElse("")
                + "\n";
    }
}
