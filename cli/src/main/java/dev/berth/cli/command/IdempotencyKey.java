package dev.berth.cli.command;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;

/** Names one request, so that the server knows it again when it arrives twice. */
final class IdempotencyKey {

    static final String HEADER = "Idempotency-Key";

    /** A request with a key may be repeated, long enough for a server to be started again. */
    static final Duration OUTAGE = Duration.ofSeconds(10);

    private static final int BYTES = 16;

    private IdempotencyKey() {}

    static String fresh() {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        return HexFormat.of().formatHex(key);
    }
}
