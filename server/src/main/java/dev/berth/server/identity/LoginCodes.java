package dev.berth.server.identity;

import dev.berth.core.task.Owner;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Codes of login links: each is good once and for a short time, and none survives a restart. */
public final class LoginCodes {

    public static final Duration LIFE = Duration.ofMinutes(10);

    /** Asking for links must not fill the memory: the oldest go. */
    private static final int MOST = 100;

    private final Map<String, Waiting> codes = new LinkedHashMap<>();

    private record Waiting(Owner owner, Instant until) {}

    /** A code with which a browser becomes this user's. */
    public synchronized Secret issue(Owner owner, Instant now) {
        codes.values().removeIf(code -> !now.isBefore(code.until()));
        if (codes.size() >= MOST) {
            codes.remove(codes.keySet().iterator().next());
        }
        var code = Secret.plain();
        codes.put(code.hash(), new Waiting(owner, now.plus(LIFE)));
        return code;
    }

    /** Whom it was made for; from now on it is worth nothing. */
    public synchronized Optional<Owner> redeem(Secret code, Instant now) {
        // Found by its hash, so the time it takes says nothing about the code itself.
        return Optional.ofNullable(codes.remove(code.hash()))
                .filter(waiting -> now.isBefore(waiting.until()))
                .map(Waiting::owner);
    }
}
