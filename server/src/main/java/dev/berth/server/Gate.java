package dev.berth.server;

import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Caller;
import dev.berth.server.http.Route;
import dev.berth.server.http.RouteTable;
import dev.berth.server.identity.BrowserRules;
import dev.berth.server.identity.Doorman;
import dev.berth.server.identity.Who;
import dev.berth.server.limit.Allowances;

import org.eclipse.jetty.server.Request;

import java.util.Optional;

/** Decides whether a request comes in: where it comes from, whose it is, whether they may. */
record Gate(BrowserRules rules, Doorman doorman, Allowances allowances) {

    private static final String METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
    private static final String HEADERS =
            "Authorization, Content-Type, Idempotency-Key, Last-Event-ID";
    private static final String READABLE =
            "Link, Location, Retry-After, X-Berth-Version, X-Total-Count";

    /** What the gate says. */
    sealed interface Passage {
        /**
         * @param caller nobody on a route for anyone
         */
        record In(Optional<Caller> caller) implements Passage {}

        /** Turned away, or answered at the gate. */
        record Out(Optional<Caller> caller, Answer answer) implements Passage {}
    }

    Passage pass(Request request, RouteTable.Found found) {
        var wrongHost = rules.wrongHost(request);
        if (wrongHost.isPresent()) {
            return out(wrongHost.get());
        }
        if (isPreflight(request)) {
            return out(preflight());
        }
        var route =
                found instanceof RouteTable.Found.One(var one, _)
                        ? Optional.of(one)
                        : Optional.<Route>empty();
        var isPage = route.stream().anyMatch(one -> one.kind() == Route.Kind.PAGE);
        var wrongOrigin = isPage ? Optional.<Answer>empty() : rules.wrongOrigin(request);
        if (wrongOrigin.isPresent()) {
            return out(wrongOrigin.get());
        }
        if (route.stream().anyMatch(one -> one.access() == Access.ANYONE)) {
            return new Passage.In(Optional.empty());
        }
        return switch (doorman.who(request)) {
            case Who.Served(var caller) -> pass(caller, route);
            case Who.Stranger(var answer) -> out(answer);
        };
    }

    /** Who it is, for routes that nobody is kept from. */
    Optional<Caller> known(Request request) {
        return doorman.who(request) instanceof Who.Served(var caller)
                ? Optional.of(caller)
                : Optional.empty();
    }

    private Passage pass(Caller caller, Optional<Route> route) {
        var known = Optional.of(caller);
        if (!allowances.take(caller.owner().principal())) {
            return new Passage.Out(
                    known,
                    Answer.tooMany(
                            "requests.too_many",
                            "You ask more often than one user may. Go on more slowly.",
                            1));
        }
        if (!route.stream().allMatch(one -> one.isOpenTo(caller))) {
            return new Passage.Out(
                    known,
                    Answer.problem(
                            403, "caller.not_admin", "Only an admin of this server may do this."));
        }
        return new Passage.In(known);
    }

    private static Passage out(Answer answer) {
        return new Passage.Out(Optional.empty(), answer);
    }

    private boolean isPreflight(Request request) {
        return request.getMethod().equals("OPTIONS")
                && request.getHeaders().contains("Access-Control-Request-Method")
                && rules.namedOrigin(request).isPresent();
    }

    /** A browser asks this before a page elsewhere may send a token; it carries none itself. */
    private static Answer preflight() {
        return Answer.empty(204)
                .with("Access-Control-Allow-Methods", METHODS)
                .with("Access-Control-Allow-Headers", HEADERS)
                .with("Access-Control-Max-Age", "600");
    }

    /**
     * Lets a page that was named read the answer. Never with cookies: it must bring a token of its
     * own.
     */
    Answer readable(Request request, Answer answer) {
        var origin = rules.namedOrigin(request);
        if (origin.isEmpty()) {
            return answer;
        }
        var vary = answer.headers().get("Vary");
        return answer.with("Access-Control-Allow-Origin", origin.get())
                .with("Access-Control-Expose-Headers", READABLE)
                .with("Vary", vary == null ? "Origin" : vary + ", Origin");
    }
}
