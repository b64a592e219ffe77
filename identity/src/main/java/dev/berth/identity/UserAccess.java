package dev.berth.identity;

import dev.berth.core.access.Role;
import dev.berth.core.task.Owner;

/** Whether a user is served. */
public sealed interface UserAccess {

    record Served(Owner owner, int uid, Role role) implements UserAccess {}

    /**
     * @param user as the answer names the user
     */
    record Refused(Reason reason, String user) implements UserAccess {}

    /** The accounts cannot be read now. */
    record Unreadable(String why) implements UserAccess {}

    /** Why a user is not served. */
    enum Reason {
        /** A personal server serves its own user and root. */
        NOT_THE_SERVERS_USER,
        /** No account of this machine has this uid or name. */
        NO_ACCOUNT,
        /** The configuration gives this account no role. */
        NO_ROLE
    }
}
