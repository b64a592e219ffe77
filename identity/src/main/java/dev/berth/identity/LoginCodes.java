package dev.berth.identity;

import dev.berth.core.task.Owner;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** One-time codes of login links. They expire after a short time and do not survive a restart. */
public final class LoginCodes {

    public static final Duration LIFETIME = Duration.ofMinutes(10);

    /** Bounds the memory; the oldest codes are dropped. */
    private static final int MAX_CODES = 100;

    private final Map<String, OpenCode> codes = new LinkedHashMap<>();

    private record OpenCode(Owner owner, Instant until) {}

    /** Issues a code that logs a browser in as this user. */
    public synchronized Secret issue(Owner owner, Instant now) {
        codes.values().removeIf(code -> !now.isBefore(code.until()));
        if (codes.size() >= MAX_CODES) {
            codes.remove(codes.keySet().iterator().next());
        }
        var code = Secret.plain();
        codes.put(code.hash(), new OpenCode(owner, now.plus(LIFETIME)));
        return code;
    }

    /** The user of the code, which is then used up. */
    public synchronized Optional<Owner> redeem(Secret code, Instant now) {
        // Looked up by hash, so the duration reveals nothing about the code.
        return Optional.ofNullable(codes.remove(code.hash()))
                .filter(open -> now.isBefore(open.until()))
                .map(OpenCode::owner);
    }
}
