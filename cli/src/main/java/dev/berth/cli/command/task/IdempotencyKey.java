package dev.berth.cli.command.task;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;

/** Identifies one request, so that the server recognises a repetition. */
final class IdempotencyKey {

    static final String HEADER = "Idempotency-Key";

    /** How long a request with a key is repeated: enough for a restart of the server. */
    static final Duration MAX_OUTAGE = Duration.ofSeconds(10);

    private static final int BYTES = 16;

    private IdempotencyKey() {}

    static String random() {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        return HexFormat.of().formatHex(key);
    }
}
