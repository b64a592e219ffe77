package dev.berth.server.message;

import java.time.Instant;
import java.util.Optional;

/** Somebody's own program: it gets what happened as it is. */
final class Webhook implements Chat {

    @Override
    public Letter letter(Receiver.Way way, Note note, Instant now) {
        return new Letter(way.url().orElseThrow(), note.json());
    }

    /** Its status says it all. */
    @Override
    public Optional<String> complaint(String answer) {
        return Optional.empty();
    }
}
