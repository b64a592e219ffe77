package dev.berth.server.stream;

import dev.berth.core.task.Owner;
import dev.berth.http.Caller;

import java.util.Arrays;
import java.util.Optional;

/**
 * The message of an event, in the two forms in which streams send it. Empty bytes are not sent.
 *
 * @param owner of what the event is about
 * @param whole for the owner and for admins
 * @param forOthers without what other users must not see
 */
public record EventMessage(Optional<Owner> owner, byte[] whole, byte[] forOthers) {

    private static final byte[] NOTHING = new byte[0];

    /** An event that clients do not receive. */
    public static final EventMessage NOT_SENT = ofEveryone(NOTHING);

    /** The same for everyone. */
    public static EventMessage ofEveryone(byte[] bytes) {
        return new EventMessage(Optional.empty(), bytes, bytes);
    }

    /** The form that this caller may see. */
    byte[] bytesFor(Caller caller) {
        return caller.isAdmin() || owner.filter(caller::owns).isPresent() ? whole : forOthers;
    }

    /** Equal forms are kept once. */
    long size() {
        return Arrays.equals(whole, forOthers)
                ? whole.length
                : (long) whole.length + forOthers.length;
    }

    @Override
    public String toString() {
        return "a message of " + whole.length + " bytes";
    }
}
