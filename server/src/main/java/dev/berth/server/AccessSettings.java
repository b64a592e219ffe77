package dev.berth.server;

import dev.berth.identity.RoleRules;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Whom a server serves, and how users may log in.
 *
 * @param system present if the server serves all users of the machine; otherwise it is a personal
 *     one, which serves its own user and root
 * @param proxy present if a proxy may name users in a header
 * @param hasPasswordLogin users may log in by the password of their account
 */
public record AccessSettings(
        Optional<SystemAccess> system, Optional<ProxyHeader> proxy, boolean hasPasswordLogin) {

    public static final AccessSettings PERSONAL =
            new AccessSettings(Optional.empty(), Optional.empty(), false);

    /**
     * @param socket the path of the socket, which every user of the machine may connect to
     */
    public record SystemAccess(Path socket, RoleRules roles) {}

    /**
     * @param user the proxy's account, by name or uid
     */
    public record ProxyHeader(String header, String user) {}

    public AccessSettings withPasswordLogin(boolean hasOne) {
        return new AccessSettings(system, proxy, hasOne);
    }

    /** True if the server serves all users of the machine. */
    public boolean isSystem() {
        return system.isPresent();
    }
}
