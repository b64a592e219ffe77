package dev.berth.node.pam;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The child that checks one password. Its only argument is the PAM service; user, address and
 * password come on standard input, each ended by a NUL. It writes one line: {@code correct USER},
 * {@code wrong} or {@code unavailable WHY}.
 */
public final class PamChild {

    static final String CORRECT = "correct ";
    static final String WRONG = "wrong";
    static final String UNAVAILABLE = "unavailable ";

    private static final int MAX_INPUT_BYTES = 8192;

    /**
     * Codes that say something about the user or the password, not about the machine: AUTH_ERR,
     * CRED_INSUFFICIENT, USER_UNKNOWN, MAXTRIES, NEW_AUTHTOK_REQD, ACCT_EXPIRED, PERM_DENIED,
     * CRED_EXPIRED, AUTHTOK_EXPIRED.
     */
    private static final Set<Integer> REFUSALS = Set.of(6, 7, 8, 10, 11, 12, 13, 16, 27);

    private PamChild() {}

    public static void main(String[] arguments) throws IOException {
        var input = System.in.readNBytes(MAX_INPUT_BYTES);
        var fields = new String(input, StandardCharsets.UTF_8).split("\0", -1);
        var answer =
                arguments.length == 1 && fields.length == 4
                        ? check(arguments[0], fields[0], fields[1], fields[2])
                        : UNAVAILABLE + "the request is malformed";
        try (var out = new FileOutputStream(FileDescriptor.out)) {
            out.write((answer + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String check(String service, String user, String address, String password) {
        try (var arena = Arena.ofConfined()) {
            var pam = PamLibrary.start(arena, service, user, new PamConversation(password));
            pam.authenticate(address);
            return CORRECT + pam.user();
        } catch (PamLibrary.PamFailure failure) {
            return REFUSALS.contains(failure.code()) ? WRONG : UNAVAILABLE + failure.getMessage();
        } catch (IllegalArgumentException missing) {
            return UNAVAILABLE + "libpam.so.0 is not installed";
        }
    }
}
