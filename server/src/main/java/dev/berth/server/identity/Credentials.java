package dev.berth.server.identity;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.engine.EngineLoop;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The tokens and sessions that are good now, as the engine has published them. */
public final class Credentials {

    private final EngineLoop engine;
    private final Map<TokenId, Instant> uses = new ConcurrentHashMap<>();

    public Credentials(EngineLoop engine) {
        this.engine = engine;
    }

    /**
     * Whose secret this is. All are looked at, each in the same time, so that time tells nothing.
     */
    public Optional<Token> find(Secret secret, Token.Kind kind) {
        var hash = bytes(secret.hash());
        var now = engine.now();
        Optional<Token> found = Optional.empty();
        for (var entry : engine.state().tokens()) {
            var token = entry.getValue();
            var isIt = MessageDigest.isEqual(hash, bytes(token.grant().hash()));
            if (isIt && token.grant().kind() == kind && token.isGoodAt(now)) {
                found = Optional.of(token);
            }
        }
        found.ifPresent(token -> uses.put(token.id(), now));
        return found;
    }

    public boolean isGood(TokenId id) {
        return engine.state().tokens().get(id).stream()
                .anyMatch(token -> token.isGoodAt(engine.now()));
    }

    /** Since the server started. */
    public Optional<Instant> lastUse(TokenId id) {
        return Optional.ofNullable(uses.get(id));
    }

    private static byte[] bytes(String hash) {
        return hash.getBytes(StandardCharsets.US_ASCII);
    }
}
