package dev.berth.identity;

import dev.berth.core.access.Role;
import dev.berth.port.read.Accounts.Account;

import java.util.Optional;
import java.util.Set;

/**
 * Which role an account has.
 *
 * @param admins names and a group
 * @param viewers users that see, but change nothing
 * @param users users in any case, if the default role is lower
 * @param others the role of all other accounts; empty if they are not served
 */
public record RoleRules(Members admins, Members viewers, Members users, Optional<Role> others) {

    private static final int ROOT = 0;

    /** Everyone is a user; only root is an admin. */
    public static final RoleRules DEFAULT =
            new RoleRules(Members.NONE, Members.NONE, Members.NONE, Optional.of(Role.USER));

    /**
     * Accounts by name, or as members of a Unix group.
     *
     * @param group empty if the rule names no group
     */
    public record Members(Set<String> names, Optional<String> group) {

        public static final Members NONE = new Members(Set.of(), Optional.empty());

        public Members {
            names = Set.copyOf(names);
        }

        boolean contains(Account account) {
            return names.contains(account.name())
                    || group.filter(account.groups()::contains).isPresent();
        }
    }

    /** The first rule that matches decides: admins, viewers, users, the default. */
    public Optional<Role> of(Account account) {
        if (account.uid() == ROOT || admins.contains(account)) {
            return Optional.of(Role.ADMIN);
        }
        if (viewers.contains(account)) {
            return Optional.of(Role.VIEWER);
        }
        return users.contains(account) ? Optional.of(Role.USER) : others;
    }
}
