package dev.berth.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A secret of 256 random bits. Only its hash is stored; with this many bits the hash needs neither
 * a salt nor a slow function.
 */
public record Secret(String text) {

    private static final int BYTES = 32;
    private static final String PREFIX = "berth_";
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The prefix lets secret scanners recognise it in source code. */
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
