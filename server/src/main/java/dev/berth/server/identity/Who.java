package dev.berth.server.identity;

import dev.berth.server.http.Answer;
import dev.berth.server.http.Caller;

/** Whom a request belongs to. */
public sealed interface Who {

    record Served(Caller caller) implements Who {}

    /** Not served; the answer says why. */
    record Stranger(Answer answer) implements Who {}
}
