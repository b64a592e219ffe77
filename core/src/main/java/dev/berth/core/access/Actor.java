package dev.berth.core.access;

import dev.berth.core.task.Owner;

import java.util.Optional;

/**
 * Who does something.
 *
 * @param via how the user was authenticated; empty for Berth itself
 */
public record Actor(Owner owner, Optional<Via> via) {

    public static final Actor BERTH = new Actor(Owner.BERTH, Optional.empty());
}
