package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.http.Param;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteRequest;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Optional;

/** The period that a request asks for. */
public record TimeWindow(Instant from, Instant to) {

    public static final Param<Instant> FROM =
            time("from", "from this time on, as 2026-01-31T08:00:00Z");
    public static final Param<Instant> TO = time("to", "up to this time; now unless stated");

    /** Also in the future. */
    public static final Param<Instant> END = time("to", "up to this time, as 2026-01-31T08:00:00Z");

    /** Older data is deleted. */
    private static final Duration MAX_LENGTH = Duration.ofDays(366);

    /**
     * @param usual length of the period up to now if neither end is stated
     * @param word the parameter that states the length; it excludes from and to
     */
    public static TimeWindow read(
            RouteRequest call, Instant now, Duration usual, Optional<String> word)
            throws RejectedException {
        var from = call.query(FROM);
        var to = call.query(TO);
        if (word.isPresent() && (from.isPresent() || to.isPresent())) {
            throw new RejectedException(
                    Rejected.invalid("parameter.conflict", word.get()).variant("window"));
        }
        var end = to.filter(at -> at.isBefore(now)).orElse(now);
        var begin = from.orElse(end.minus(usual));
        var earliest = now.minus(MAX_LENGTH);
        if (begin.isBefore(earliest)) {
            begin = earliest;
        }
        if (!begin.isBefore(end)) {
            var field = from.isPresent() ? "from" : "to";
            throw RejectedException.invalid("window.empty", field);
        }
        return new TimeWindow(begin, end);
    }

    public static Param<Instant> time(String name, String about) {
        return new Param<>(
                name,
                about,
                Map.of("type", "string", "format", "date-time"),
                text -> {
                    try {
                        return OffsetDateTime.parse(text).toInstant();
                    } catch (DateTimeException _) {
                        throw new RejectedException(
                                Rejected.invalid(name + ".invalid", name).variant("time"));
                    }
                });
    }
}
