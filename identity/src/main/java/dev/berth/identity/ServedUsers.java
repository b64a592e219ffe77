package dev.berth.identity;

import dev.berth.core.task.Owner;
import dev.berth.http.Caller;

/**
 * Decides which users are served, and in which role. Asked at every request, so that a user who was
 * removed or lost a role is refused soon.
 */
public interface ServedUsers {

    /** The user with this uid, which the kernel reported. */
    UserAccess withUid(int uid);

    /** The user of a program on loopback with this uid, where such programs need no token. */
    default UserAccess onLoopback(int uid) {
        return withUid(uid);
    }

    /** The user to whom a token or a session belongs. */
    UserAccess of(Owner owner);

    /** The user with this name, which a password or a trusted proxy has proven. */
    UserAccess named(String name);

    /** The user that the server runs as, as answers name it. */
    String serverName();

    /** True if the caller's role would not be lower in a new request. */
    default boolean isStillServed(Caller caller) {
        return switch (of(caller.owner())) {
            case UserAccess.Served now ->
                    now.uid() == caller.uid() && now.role().isAtLeast(caller.role());
            case UserAccess.Refused _ -> false;
            // An outage of the name services must not end the streams of everyone.
            case UserAccess.Unreadable _ -> true;
        };
    }
}
