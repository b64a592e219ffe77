package dev.berth.port.event;

/** Events of access: who logged in, and who read what belongs to another user. */
public sealed interface AccessPayload extends EventPayload {

    /** The link of a login was used. */
    record LoggedIn(ServerPayload.TokenRef session) implements AccessPayload {}

    /**
     * Logins by password failed.
     *
     * @param from the address of the client of the last of them
     * @param count how many, since the last such event
     */
    record LoginFailed(String from, int count) implements AccessPayload {}

    /** A session was ended, by its user or an admin. */
    record LoggedOut(ServerPayload.TokenRef session) implements AccessPayload {}

    /** The log of another user's task was read. */
    record LogRead() implements AccessPayload {}
}
