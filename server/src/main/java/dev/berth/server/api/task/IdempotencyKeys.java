package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.engine.EngineCommand;
import dev.berth.http.Param;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteRequest;
import dev.berth.port.SubmitKey;

import java.util.Map;
import java.util.Optional;

/** The Idempotency-Key header. */
public final class IdempotencyKeys {

    private static final int MAX_LENGTH = 200;

    public static final Param<String> HEADER =
            new Param<>(
                    "Idempotency-Key",
                    "a name of your own for this request: sent again within 24 hours it is not"
                            + " done again",
                    Map.of("type", "string", "minLength", 1, "maxLength", MAX_LENGTH),
                    IdempotencyKeys::read);

    private IdempotencyKeys() {}

    private static String read(String text) throws RejectedException {
        if (text.isEmpty() || text.length() > MAX_LENGTH || !text.matches("[\\x21-\\x7e]+")) {
            throw new RejectedException(
                    Rejected.invalid("idempotency_key.invalid", "Idempotency-Key")
                            .with("max", MAX_LENGTH));
        }
        return text;
    }

    static Optional<EngineCommand.RepeatGuard> of(RouteRequest call, String hash)
            throws RejectedException {
        return call.header(HEADER)
                .map(
                        key ->
                                new EngineCommand.RepeatGuard(
                                        new SubmitKey(call.caller().owner().principal(), key),
                                        hash));
    }
}
