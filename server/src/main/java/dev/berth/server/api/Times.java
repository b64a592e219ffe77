package dev.berth.server.api;

import dev.berth.server.http.IsoTime;

import java.time.Instant;

/** Times in answers. */
final class Times {

    private Times() {}

    static String text(Instant at) {
        return IsoTime.text(at);
    }
}
