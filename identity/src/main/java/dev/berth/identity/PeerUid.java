package dev.berth.identity;

import java.nio.file.attribute.UserPrincipal;

/**
 * The uid of a principal. The JDK names the peer of a Unix socket by a principal only, and a
 * principal's name is ambiguous: a uid without an account has the same name as a user who is named
 * like that number.
 */
final class PeerUid {

    private PeerUid() {}

    /**
     * The hash code of the JDK's principals on Linux is the uid. {@link ServerUser#of} checks this
     * at start against a uid that is known.
     */
    static int of(UserPrincipal principal) {
        return principal.hashCode();
    }
}
