package dev.berth.notify;

import dev.berth.config.receiver.Receiver;

import java.time.Instant;
import java.util.Optional;

/** A user's own program, which gets the event as JSON. */
final class Webhook implements ChatFormat {

    @Override
    public ChatRequest request(Receiver.Channel way, Notification note, Instant now) {
        return new ChatRequest(way.url().orElseThrow(), note.json());
    }

    /** The status code is sufficient. */
    @Override
    public Optional<String> refusalReason(String answer) {
        return Optional.empty();
    }
}
