package dev.berth.server.api;

import dev.berth.engine.Command;
import dev.berth.engine.port.SubmitKey;
import dev.berth.server.http.Call;
import dev.berth.server.http.Param;
import dev.berth.server.http.Refused;

import java.util.Map;
import java.util.Optional;

/** The caller's name for a request, in a header. */
final class SubmitKeys {

    private static final int LONGEST = 200;

    static final Param<String> HEADER =
            new Param<>(
                    "Idempotency-Key",
                    "a name of your own for this request: sent again within 24 hours it is not"
                            + " done again",
                    Map.of("type", "string", "minLength", 1, "maxLength", LONGEST),
                    SubmitKeys::read);

    private SubmitKeys() {}

    private static String read(String text) throws Refused {
        if (text.isEmpty() || text.length() > LONGEST || !text.matches("[\\x21-\\x7e]+")) {
            throw Refused.invalid(
                    "idempotency_key.invalid",
                    "Idempotency-Key",
                    "Idempotency-Key is 1 to "
                            + LONGEST
                            + " visible ASCII characters without spaces.");
        }
        return text;
    }

    static Optional<Command.Keyed> of(Call call, String hash) throws Refused {
        return call.header(HEADER)
                .map(
                        key ->
                                new Command.Keyed(
                                        new SubmitKey(call.caller().owner().principal(), key),
                                        hash));
    }
}
