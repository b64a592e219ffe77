package dev.berth.http;

import dev.berth.core.access.Actor;
import dev.berth.core.access.TokenId;
import dev.berth.core.access.Via;
import dev.berth.core.task.Owner;

import java.util.Optional;

/**
 * An authenticated user whom this server serves.
 *
 * @param isAdmin may see and change what belongs to other users
 * @param token the token or session, if the kernel did not authenticate the caller
 */
public record Caller(Owner owner, boolean isAdmin, Via via, Optional<TokenId> token) {

    public Actor actor() {
        return new Actor(owner, Optional.of(via));
    }
}
