package dev.berth.server.http;

import dev.berth.core.access.TokenId;
import dev.berth.core.task.Owner;

import java.util.Locale;
import java.util.Optional;

/**
 * Somebody whom this server serves.
 *
 * @param isAdmin may see and do what is others'
 * @param token what they showed, where the kernel could not say who they are
 */
public record Caller(Owner owner, boolean isAdmin, Via via, Optional<TokenId> token) {

    /** How it is known who they are. */
    public enum Via {
        /** The kernel named the peer of the Unix socket. */
        SOCKET,
        /** A bearer token. */
        TOKEN,
        /** The cookie of a login. */
        SESSION,
        /** The kernel named the owner of the loopback client's socket. */
        LOOPBACK;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
