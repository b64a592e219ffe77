package dev.berth.server.api;

import dev.berth.server.http.Answer;
import dev.berth.server.http.Refused;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Locale;

/** What is said when a file of the lanes cannot be read or written. */
final class LaneTrouble {

    private static final Logger log = LoggerFactory.getLogger(LaneTrouble.class);

    private LaneTrouble() {}

    static Refused refused(String what, IOException failure) {
        log.warn("{} failed: {}", what, failure.toString());
        var why = String.valueOf(failure.getMessage());
        var isFull = why.toLowerCase(Locale.ROOT).matches(".*(no space left|quota exceeded).*");
        var answer =
                isFull
                        ? Answer.problem(
                                507, "file.full", what + " failed: the disk is full. Make room.")
                        : Answer.problem(
                                503,
                                "file.failed",
                                what
                                        + " failed: "
                                        + failure.getClass().getSimpleName()
                                        + ": "
                                        + why);
        return new Refused(answer.with("Retry-After", "1"));
    }
}
