package dev.berth.identity;

import dev.berth.core.access.Role;
import dev.berth.core.task.Owner;

/**
 * A personal server: all tasks run as its own user, so it serves only this user and root. Both are
 * admins.
 */
public record PersonalUsers(ServerUser server) implements ServedUsers {

    private static final int ROOT = 0;
    private static final Owner ROOT_OWNER = Owner.unix("root");

    @Override
    public UserAccess withUid(int uid) {
        if (uid == server.uid()) {
            return served(server.owner(), uid);
        }
        return uid == ROOT ? served(ROOT_OWNER, uid) : refused("uid " + uid);
    }

    /** Programs of root act for the server's user. */
    @Override
    public UserAccess onLoopback(int uid) {
        return withUid(uid) instanceof UserAccess.Refused refused
                ? refused
                : served(server.owner(), server.uid());
    }

    @Override
    public UserAccess of(Owner owner) {
        if (server.isOwner(owner)) {
            return served(owner, server.uid());
        }
        return owner.equals(ROOT_OWNER) ? served(owner, ROOT) : refused(owner.name());
    }

    @Override
    public UserAccess named(String name) {
        return of(Owner.unix(name));
    }

    @Override
    public String serverName() {
        return server.name();
    }

    private static UserAccess served(Owner owner, int uid) {
        return new UserAccess.Served(owner, uid, Role.ADMIN);
    }

    private static UserAccess refused(String user) {
        return new UserAccess.Refused(UserAccess.Reason.NOT_THE_SERVERS_USER, user);
    }
}
