package dev.berth.server.api;

import dev.berth.http.RejectedException;
import dev.berth.http.RouteResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/** The response when a lane's file cannot be read or written. */
public final class FileFailure {

    private static final Logger log = LoggerFactory.getLogger(FileFailure.class);

    private FileFailure() {}

    public static RejectedException rejection(String file, IOException failure) {
        log.warn("reading or writing {} failed: {}", file, failure.toString());
        var why = String.valueOf(failure.getMessage());
        var isFull = why.toLowerCase(Locale.ROOT).matches(".*(no space left|quota exceeded).*");
        var answer =
                isFull
                        ? RouteResponse.problem(507, "file.full", Map.of("file", file))
                        : RouteResponse.problem(
                                503,
                                "file.failed",
                                Map.of(
                                        "file",
                                        file,
                                        "why",
                                        failure.getClass().getSimpleName() + ": " + why));
        return new RejectedException(answer.with("Retry-After", "1"));
    }
}
