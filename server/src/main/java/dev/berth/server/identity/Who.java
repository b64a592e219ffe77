package dev.berth.server.identity;

import dev.berth.core.task.Owner;
import dev.berth.server.http.Answer;

/** Whom a connection belongs to. */
public sealed interface Who {

    record Served(Owner owner) implements Who {}

    /** Not served; the answer says why. */
    record Stranger(Answer answer) implements Who {}
}
