package dev.berth.identity;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipalNotFoundException;

/**
 * A proxy that authenticates users and names them in a header.
 *
 * @param header the name of the header
 * @param uid of the proxy's process: the header is believed only on its connections
 */
public record TrustedProxy(String header, int uid) {

    private static final int ROOT = 0;

    /**
     * @param user the proxy's account, by name or uid
     * @param server a proxy must not run as the server's user: a request that names nobody would be
     *     the server's own
     * @throws IllegalArgumentException the message begins with the name of the configuration key
     */
    public static TrustedProxy of(String header, String user, ServerUser server)
            throws IOException {
        int uid = uidOf(user);
        if (uid == ROOT || uid == server.uid()) {
            throw new IllegalArgumentException(
                    "proxy_user: is the account of the proxy alone, not " + user);
        }
        return new TrustedProxy(header, uid);
    }

    private static int uidOf(String user) throws IOException {
        try {
            return PeerUid.of(
                    FileSystems.getDefault()
                            .getUserPrincipalLookupService()
                            .lookupPrincipalByName(user));
        } catch (UserPrincipalNotFoundException e) {
            throw new IllegalArgumentException(
                    "proxy_user: no account of this machine is named " + user, e);
        }
    }
}
