package dev.berth.cli.link;

import dev.berth.cli.call.CliVersion;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Clean;
import dev.berth.wire.Problem;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** The way to one server. What the server refuses arrives as {@link Refused}. */
public final class Link implements Closeable {

    private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(5);
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);

    /** An interruption shorter than this is nobody's business. */
    private static final Duration QUIET = Duration.ofSeconds(2);

    private static final String UNKNOWN =
            "; whether it did what was asked is not known: look with `berth ls`";

    private final Place place;
    private final Surroundings around;
    private final HttpOverSocket http = new HttpOverSocket();
    private boolean versionSeen;

    private Link(Place place, Surroundings around) {
        this.place = place;
        this.around = around;
    }

    /** To the server that is meant, which must be there. */
    public static Link open(Options given, Surroundings around) {
        Link link = openIfUp(given, around);
        if (link == null) {
            throw nobodyUp(given, around);
        }
        return link;
    }

    /** What {@link #open} says where nobody listens. */
    public static Refused nobodyUp(Options given, Surroundings around) {
        return nobodyAt(Homes.places(given.value(Option.HOME), around).getFirst());
    }

    /** The same, or null where nobody listens. */
    public static @Nullable Link openIfUp(Options given, Surroundings around) {
        for (Place place : Homes.places(given.value(Option.HOME), around)) {
            Link link = new Link(place, around);
            try {
                link.http.connect(place.socket(), CONNECT_PATIENCE);
                return link;
            } catch (LinkFailure failure) {
                if (failure.kind() != LinkFailure.Kind.NO_SERVER) {
                    throw link.refused(failure, Request.get(""));
                }
            }
        }
        return null;
    }

    /** The home that was meant, or null where only a socket was. */
    public @Nullable Path home() {
        return place instanceof Place.Home(Path home) ? home : null;
    }

    /** What is there now; asked again if a kept connection had gone stale. */
    public Reply get(String target) {
        Request request = Request.get(target);
        try {
            return accepted(exchange(request));
        } catch (LinkFailure failure) {
            if (!failure.mayPass()) {
                throw refused(failure, request);
            }
        }
        return ask(request);
    }

    /** Asks once. */
    public Reply ask(Request request) {
        try {
            return accepted(exchange(request));
        } catch (LinkFailure failure) {
            throw refused(failure, request);
        }
    }

    /** The answer whatever it says. */
    public Reply askAnyway(Request request) {
        try {
            return exchange(request);
        } catch (LinkFailure failure) {
            throw refused(failure, request);
        }
    }

    /**
     * Asks until an answer comes, through a restart of the server too. Only for what may safely
     * arrive twice.
     *
     * @param outage how long the server may be away
     */
    public Reply askThrough(Duration outage, Request request) throws InterruptedException {
        Instant lost = null;
        boolean said = false;
        while (true) {
            try {
                return accepted(exchange(request));
            } catch (LinkFailure failure) {
                Instant now = around.time().now();
                lost = lost == null ? now : lost;
                Duration away = Duration.between(lost, now);
                if (!failure.mayPass() || away.compareTo(outage) >= 0) {
                    throw refused(failure, request);
                }
                if (!said && away.compareTo(QUIET) >= 0) {
                    around.note("lost the server at " + shown() + "; trying again");
                    said = true;
                }
            }
            around.time().pause(BETWEEN_TRIES);
        }
    }

    /** The body of an answer, which must be JSON. */
    public @Nullable Object json(Reply reply) {
        try {
            return Json.read(reply.body());
        } catch (Json.Malformed malformed) {
            throw new Refused(
                    "the server at " + shown() + " sent no JSON: " + malformed.getMessage());
        }
    }

    private Reply exchange(Request request) throws LinkFailure {
        Reply reply = http.exchange(place.socket(), request);
        String version = reply.header("x-berth-version");
        if (!versionSeen && !version.isEmpty() && !version.equals(CliVersion.CURRENT)) {
            around.note(
                    "the server is version "
                            + Clean.line(version)
                            + ", this command is version "
                            + CliVersion.CURRENT);
        }
        versionSeen = true;
        return reply;
    }

    private static Reply accepted(Reply reply) {
        if (reply.isRefusal()) {
            throw new Refused(explanation(reply));
        }
        return reply;
    }

    /** Why the server refused, in one harmless line. */
    public static String explanation(Reply reply) {
        Problem problem;
        try {
            problem = WireReader.problem(Json.read(reply.body()));
        } catch (Json.Malformed unexplained) {
            problem = WireReader.problem(null);
        }
        if (problem.detail().isEmpty()) {
            return "the server answered " + reply.status() + " and did not say why";
        }
        String field = problem.field();
        boolean named = field == null || problem.detail().contains(field);
        return Clean.line(named ? problem.detail() : problem.detail() + " (" + field + ")");
    }

    private Refused refused(LinkFailure failure, Request request) {
        String why = Clean.line(String.valueOf(failure.getMessage()));
        return switch (failure.kind()) {
            case NO_SERVER -> nobodyAt(place);
            case NOT_ALLOWED ->
                    new Refused("you may not use the server at " + shown() + ": " + why);
            case LOST, SLOW ->
                    new Refused(
                            "no answer from the server at "
                                    + shown()
                                    + ": "
                                    + why
                                    + (request.method().equals("GET") ? "" : UNKNOWN));
            case GARBLED ->
                    new Refused("cannot read the answer of the server at " + shown() + ": " + why);
        };
    }

    private static Refused nobodyAt(Place place) {
        return new Refused(
                "No Berth server at "
                        + Clean.line(place.name().toString())
                        + ": start one with `berth start`");
    }

    private String shown() {
        return Clean.line(place.name().toString());
    }

    @Override
    public void close() {
        http.close();
    }
}
