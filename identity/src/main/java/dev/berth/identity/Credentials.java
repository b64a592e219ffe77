package dev.berth.identity;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.engine.EngineLoop;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The valid tokens and sessions in the state that the engine published. */
public final class Credentials {

    private final EngineLoop engine;
    private final Map<TokenId, Instant> uses = new ConcurrentHashMap<>();

    public Credentials(EngineLoop engine) {
        this.engine = engine;
    }

    /**
     * The token with this secret. Every token is compared, each in constant time, so that the
     * duration reveals nothing.
     */
    public Optional<Token> find(Secret secret, Token.Kind kind) {
        var hash = bytes(secret.hash());
        var now = engine.now();
        Optional<Token> found = Optional.empty();
        for (var entry : engine.state().tokens()) {
            var token = entry.getValue();
            var isMatch = MessageDigest.isEqual(hash, bytes(token.credential().hash()));
            if (isMatch && token.credential().kind() == kind && token.isValidAt(now)) {
                found = Optional.of(token);
            }
        }
        found.ifPresent(token -> uses.put(token.id(), now));
        return found;
    }

    public boolean isValid(TokenId id) {
        return engine.state().tokens().get(id).stream()
                .anyMatch(token -> token.isValidAt(engine.now()));
    }

    /** Since the server started. */
    public Optional<Instant> lastUse(TokenId id) {
        return Optional.ofNullable(uses.get(id));
    }

    private static byte[] bytes(String hash) {
        return hash.getBytes(StandardCharsets.US_ASCII);
    }
}
