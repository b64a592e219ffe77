package dev.berth.server.api.people;

import dev.berth.core.task.Owner;
import dev.berth.identity.ServedUsers;
import dev.berth.identity.UserAccess;

import org.jspecify.annotations.Nullable;

/**
 * Looks up the roles of users for one answer. After the first look-up that fails nobody is looked
 * up any more: each could wait for a name service that is away.
 */
final class Roles {

    private final ServedUsers users;
    private boolean isUnreadable;

    Roles(ServedUsers users) {
        this.users = users;
    }

    /** Null if the user is not served, or it is not known. */
    @Nullable String of(Owner owner) {
        if (isUnreadable) {
            return null;
        }
        return switch (users.of(owner)) {
            case UserAccess.Served served -> served.role().label();
            case UserAccess.Refused _ -> null;
            case UserAccess.Unreadable _ -> {
                isUnreadable = true;
                yield null;
            }
        };
    }
}
