package dev.berth.server.api.access;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineCommand;
import dev.berth.http.AccessLevel;
import dev.berth.http.JsonFields;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.identity.Sessions;
import dev.berth.identity.UserAccess;
import dev.berth.port.PasswordCheck.Login;
import dev.berth.port.PasswordCheck.Verdict;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.Me;
import dev.berth.wire.PasswordLogin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Logs a browser in by the password of its user's account. The answer is the same for an unknown
 * user, a wrong password and a user who is not served.
 */
public final class PasswordLoginRoutes {

    private static final Logger log = LoggerFactory.getLogger(PasswordLoginRoutes.class);

    static final String LOGIN = "/api/login";

    private static final int MAX_FIELD_LENGTH = 256;
    private static final int RETRY_SECONDS = 300;

    private final EngineClient engine;
    private final Sessions sessions;
    private final SessionStart start;
    private final PasswordLogins logins;
    private final FailedLogins failures;

    public PasswordLoginRoutes(EngineClient engine, Sessions sessions, PasswordLogins logins) {
        this.engine = engine;
        this.sessions = sessions;
        this.start = new SessionStart(engine, sessions);
        this.logins = logins;
        this.failures = new FailedLogins(logins.nanos());
    }

    public List<Route> routes() {
        var doc =
                RouteDoc.of(
                                "Logs a browser in by password, if the server checks passwords;"
                                        + " only over TLS or on the server's own machine")
                        .withBody(PasswordLogin.class)
                        .withResponse(200, Me.class)
                        .withErrors(400, 401, 403, 404, 413, 422, 429, 503, 507);
        return List.of(Route.post(PathPattern.of(LOGIN), AccessLevel.ANYONE, doc, this::login));
    }

    private RouteResponse login(RouteRequest call) throws RejectedException {
        var check = logins.check();
        if (check.isEmpty()) {
            throw new RejectedException(Rejected.notFound("login.no_password"));
        }
        var connection = call.connection();
        if (!connection.isConfidential(logins.isBehindProxy())) {
            throw new RejectedException(Rejected.forbidden("login.not_confidential"));
        }
        var fields = call.body().fields();
        fields.requireKnown(Set.of("user", "password"), Set.of());
        var user = text(fields, "user");
        var password = text(fields, "password");
        var address = connection.client(logins.isBehindProxy());
        if (!logins.limit().tryBegin(user, address)) {
            throw new RejectedException(
                    RouteResponse.tooManyRequests("login.too_many", Map.of(), RETRY_SECONDS));
        }
        try {
            return respond(check.get().check(new Login(user, password, address)), user, address);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable();
        }
    }

    private static String text(JsonFields fields, String name) throws RejectedException {
        var text = fields.requiredText(name);
        if (text.isEmpty() || text.length() > MAX_FIELD_LENGTH) {
            throw new RejectedException(
                    Rejected.invalid("login.field", name).with("max", MAX_FIELD_LENGTH));
        }
        return text;
    }

    private RouteResponse respond(Verdict verdict, String user, String address)
            throws RejectedException {
        return switch (verdict) {
            case Verdict.Correct(var account) -> {
                if (!(sessions.users().named(account) instanceof UserAccess.Served served)) {
                    throw wrong(account, address);
                }
                logins.limit().succeeded(user, address);
                yield start.begin(served, caller -> RouteResponse.ok(CallerRoutes.me(caller)));
            }
            case Verdict.Wrong _ -> throw wrong(user, address);
            case Verdict.Unavailable _ -> throw unavailable();
        };
    }

    private RejectedException wrong(String user, String address) {
        // A name that no account has may be a password in the wrong field: it is not recorded.
        var account =
                sessions.users().named(user) instanceof UserAccess.Served served
                        ? Optional.of(served.owner())
                        : Optional.<Owner>empty();
        failures.failed().ifPresent(count -> record(account, address, count));
        return new RejectedException(RouteResponse.problem(401, "login.wrong"));
    }

    private void record(Optional<Owner> account, String address, int count) {
        log.warn("login.failed from={} count={}", address, count);
        var _ =
                engine.loop()
                        .ask(
                                new EngineCommand.RecordFailedLogin(
                                        engine.now(), Owner.UNKNOWN, account, address, count));
    }

    private static RejectedException unavailable() {
        return new RejectedException(
                RouteResponse.problem(503, "login.unavailable").with("Retry-After", "10"));
    }
}
