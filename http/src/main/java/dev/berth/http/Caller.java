package dev.berth.http;

import dev.berth.core.access.Actor;
import dev.berth.core.access.Role;
import dev.berth.core.access.TokenId;
import dev.berth.core.access.Via;
import dev.berth.core.task.Owner;

import java.util.Optional;

/**
 * An authenticated user whom this server serves.
 *
 * @param uid of the user's account
 * @param token the token or session, if the kernel did not authenticate the caller
 */
public record Caller(Owner owner, int uid, Role role, Via via, Optional<TokenId> token) {

    public Actor actor() {
        return new Actor(owner, Optional.of(via));
    }

    /** True if the caller may see and change what belongs to other users. */
    public boolean isAdmin() {
        return role == Role.ADMIN;
    }

    /** True if this belongs to the caller. Compared by principal: names can be alike. */
    public boolean owns(Owner owner) {
        return this.owner.principal().equals(owner.principal());
    }
}
