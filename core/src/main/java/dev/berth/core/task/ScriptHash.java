package dev.berth.core.task;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.SortedMap;

/** The first 8 bytes of a SHA-256: enough to notice a change, and small in memory. */
public final class ScriptHash {

    /** Copied for each hash: to look the algorithm up takes longer than to hash a short command. */
    private static final MessageDigest SHA_256 = sha256();

    private static final long NO_VARIABLES = first8(newDigest().digest());

    private ScriptHash() {}

    public static long of(String command) {
        return first8(newDigest().digest(command.getBytes(StandardCharsets.UTF_8)));
    }

    static long ofPattern(String command) {
        return of(pattern(command));
    }

    public static long of(SortedMap<String, String> environment) {
        if (environment.isEmpty()) {
            return NO_VARIABLES;
        }
        var digest = newDigest();
        for (var variable : environment.entrySet()) {
            // Neither a name nor a value can contain NUL.
            digest.update((variable.getKey() + '\0').getBytes(StandardCharsets.UTF_8));
            digest.update((variable.getValue() + '\0').getBytes(StandardCharsets.UTF_8));
        }
        return first8(digest.digest());
    }

    /** The command with {@code #} for each number: runs with other parameters look the same. */
    public static String pattern(String command) {
        var pattern = new StringBuilder(command.length());
        boolean isInNumber = false;
        for (int i = 0; i < command.length(); i++) {
            char c = command.charAt(i);
            boolean isDigit = c >= '0' && c <= '9';
            boolean continues =
                    isDigit
                            || (c == '.'
                                    && i + 1 < command.length()
                                    && Character.isDigit(command.charAt(i + 1)));
            if (isInNumber && continues) {
                continue;
            }
            isInNumber = isDigit;
            pattern.append(isDigit ? '#' : c);
        }
        return pattern.toString();
    }

    private static MessageDigest newDigest() {
        try {
            return (MessageDigest) SHA_256.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the SHA-256 of the JDK can be copied", e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private static long first8(byte[] digest) {
        long value = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            value = (value << Byte.SIZE) | (digest[i] & 0xff);
        }
        return value;
    }
}
