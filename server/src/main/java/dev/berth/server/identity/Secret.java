package dev.berth.server.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * 256 bits that nobody can guess. What is kept of them is a hash: with so many bits it needs no
 * salt and no slowness.
 */
public record Secret(String text) {

    private static final int BYTES = 32;
    private static final String PREFIX = "berth_";
    private static final SecureRandom RANDOM = new SecureRandom();

    /** With a prefix by which scanners of source code know it. */
    public static Secret token() {
        return new Secret(PREFIX + random());
    }

    /** For a cookie or a link. */
    public static Secret plain() {
        return new Secret(random());
    }

    private static String random() {
        var bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public String hash() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
