package dev.berth.identity;

import dev.berth.core.task.Owner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

/**
 * The user that the server runs as.
 *
 * @param hasAccount false if no account has this uid; its name is then the number
 */
public record ServerUser(String name, int uid, boolean hasAccount) {

    /** Read from a file that this process has just created. */
    public static ServerUser ownerOf(Path made) throws IOException {
        return of(Files.getOwner(made), (Integer) Files.getAttribute(made, "unix:uid"));
    }

    /**
     * @throws IllegalStateException this JDK does not reveal the uid of a principal
     */
    static ServerUser of(UserPrincipal principal, int uid) {
        if (PeerUid.of(principal) != uid) {
            throw new IllegalStateException(
                    "this JDK's principals do not reveal their uid; run Berth with the JDK that it"
                            + " was built for");
        }
        // A user whose name is its own uid would be one user in either case.
        var hasAccount = !principal.getName().equals(Integer.toString(uid));
        return new ServerUser(principal.getName(), uid, hasAccount);
    }

    Owner owner() {
        return hasAccount ? Owner.unix(name) : Owner.unnamed(uid);
    }

    /** Earlier versions stored the number of a uid without an account as a name. */
    boolean isOwner(Owner other) {
        return other.equals(owner()) || (!hasAccount && other.equals(Owner.unix(name)));
    }
}
