package dev.berth.http;

import dev.berth.core.access.TokenId;
import dev.berth.core.task.Owner;

import java.util.Locale;
import java.util.Optional;

/**
 * An authenticated user whom this server serves.
 *
 * @param isAdmin may see and change what belongs to other users
 * @param token the token or session, if the kernel did not authenticate the caller
 */
public record Caller(Owner owner, boolean isAdmin, Via via, Optional<TokenId> token) {

    /** How the caller was authenticated. */
    public enum Via {
        /** The kernel named the peer of the Unix socket. */
        SOCKET,
        /** A bearer token. */
        TOKEN,
        /** The cookie of a login. */
        SESSION,
        /** The kernel named the owner of the loopback client's socket. */
        LOOPBACK;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
