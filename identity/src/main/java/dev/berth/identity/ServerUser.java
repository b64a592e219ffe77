package dev.berth.identity;

import dev.berth.core.task.Owner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

/**
 * The user that the server and every task run as.
 *
 * @param principal compares by uid, not by name
 */
public record ServerUser(UserPrincipal principal, int uid) {

    private static final int ROOT = 0;

    /** Read from a file that this process has just created. */
    public static ServerUser ownerOf(Path made) throws IOException {
        return new ServerUser(Files.getOwner(made), (Integer) Files.getAttribute(made, "unix:uid"));
    }

    Owner owner() {
        return Owner.unix(principal.getName());
    }

    String name() {
        return principal.getName();
    }

    boolean serves(int other) {
        return other == uid || other == ROOT;
    }

    boolean serves(UserPrincipal other) throws IOException {
        return other.equals(principal) || other.equals(root());
    }

    boolean serves(Owner other) {
        return other.equals(owner()) || other.equals(Owner.unix("root"));
    }

    /** By uid, because root may have another name. */
    private UserPrincipal root() throws IOException {
        return java.nio.file.FileSystems.getDefault()
                .getUserPrincipalLookupService()
                .lookupPrincipalByName(Integer.toString(ROOT));
    }
}
