package dev.berth.port.read;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The user accounts of this machine, as its name services list them. They may be on another
 * machine, so a call can take seconds: not for shared threads. An implementation limits that time:
 * its callers need no limit of their own, unless they wait less.
 */
public interface Accounts {

    /** Empty if there is no such account. A number is a name here, never a uid. */
    Optional<Account> named(String user) throws IOException;

    /** Empty if no account has this uid. */
    Optional<Account> withUid(int uid) throws IOException;

    /** Whether there is a group of this name. A number is a name here, never a gid. */
    boolean hasGroup(String name) throws IOException;

    /**
     * One account.
     *
     * @param gid its primary group
     * @param gids all its groups, the primary one included
     * @param groups the names of those that have one
     */
    record Account(
            String name,
            int uid,
            int gid,
            Path home,
            Path shell,
            List<Integer> gids,
            List<String> groups) {
        public Account {
            gids = List.copyOf(gids);
            groups = List.copyOf(groups);
        }
    }
}
