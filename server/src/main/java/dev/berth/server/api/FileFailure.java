package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.files.TimeLimitedCalls.NoAnswerException;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The response when a lane's file cannot be read or written. */
public final class FileFailure {

    private static final Logger log = LoggerFactory.getLogger(FileFailure.class);

    private FileFailure() {}

    public static RejectedException rejection(String file, IOException failure) {
        log.warn("reading or writing {} failed: {}", file, failure.toString());
        if (failure instanceof NoAnswerException late) {
            return noAnswer("", late);
        }
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

    /**
     * @param field the field of the request that names the path; empty if it is none
     */
    public static RejectedException noAnswer(String field, NoAnswerException late) {
        var params = new TreeMap<>(Map.of("path", late.place()));
        params.put("seconds", Long.toString(late.seconds()));
        return new RejectedException(
                new Rejected(Rejected.Kind.UNAVAILABLE, "path.no_answer", field, params));
    }
}
