package dev.berth.server.api;

import dev.berth.server.http.Call;
import dev.berth.server.http.Param;
import dev.berth.server.http.Refused;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Optional;

/** From when to when something is asked for. */
record TimeWindow(Instant from, Instant to) {

    static final Param<Instant> FROM = moment("from", "from this time on, as 2026-01-31T08:00:00Z");
    static final Param<Instant> TO = moment("to", "up to this time; now unless stated");

    /** Nothing is kept of what was before. */
    private static final Duration LONGEST = Duration.ofDays(366);

    /**
     * @param usual up to now, where neither end is stated
     * @param word what the caller said of it in one word, which then must be all
     */
    static TimeWindow of(Call call, Instant now, Duration usual, Optional<String> word)
            throws Refused {
        var from = call.query(FROM);
        var to = call.query(TO);
        if (word.isPresent() && (from.isPresent() || to.isPresent())) {
            throw Refused.invalid(
                    "parameter.conflict",
                    word.get(),
                    "Ask for " + word.get() + " or for from and to, not for both.");
        }
        var end = to.filter(at -> at.isBefore(now)).orElse(now);
        var begin = from.orElse(end.minus(usual));
        var earliest = now.minus(LONGEST);
        if (begin.isBefore(earliest)) {
            begin = earliest;
        }
        if (!begin.isBefore(end)) {
            var named = from.isPresent() ? "from" : "to";
            throw Refused.invalid(
                    "window.empty",
                    named,
                    "from is a time before to, and to is not more than a year ago.");
        }
        return new TimeWindow(begin, end);
    }

    private static Param<Instant> moment(String name, String about) {
        return new Param<>(
                name,
                about,
                Map.of("type", "string", "format", "date-time"),
                text -> {
                    try {
                        return OffsetDateTime.parse(text).toInstant();
                    } catch (DateTimeException _) {
                        throw Refused.invalid(
                                name + ".invalid",
                                name,
                                name + " is a time like 2026-01-31T08:00:00Z.");
                    }
                });
    }
}
