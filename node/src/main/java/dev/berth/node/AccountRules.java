package dev.berth.node;

import dev.berth.core.task.ErrorSentence;
import dev.berth.port.read.Accounts.Account;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * For which accounts a node starts tasks. The node reads these rules from a file of its own: they
 * hold whatever a server orders.
 *
 * @param minUid lower ids belong to the system
 * @param group only its members, if present
 * @param deniedUsers by name
 * @param serverUser the server's account: a task of it could read and change all that the server
 *     keeps, and give the node orders
 */
public record AccountRules(
        int minUid,
        Optional<String> group,
        SortedSet<String> deniedUsers,
        Optional<String> serverUser) {

    public static final int DEFAULT_MIN_UID = 1000;

    public static final AccountRules DEFAULT =
            new AccountRules(DEFAULT_MIN_UID, Optional.empty(), Collections.emptySortedSet());

    public AccountRules {
        if (minUid < 1) {
            throw new IllegalArgumentException("root is never allowed: min_uid is 1 or more");
        }
        deniedUsers = Collections.unmodifiableSortedSet(new TreeSet<>(deniedUsers));
    }

    public AccountRules(int minUid, Optional<String> group, SortedSet<String> deniedUsers) {
        this(minUid, group, deniedUsers, Optional.empty());
    }

    public AccountRules withServerUser(String user) {
        return new AccountRules(minUid, group, deniedUsers, Optional.of(user));
    }

    /** Why no task runs as this account; empty if it may. */
    public Optional<String> refusal(Account account) {
        if (account.uid() < minUid || account.gid() == 0) {
            return Optional.of(ErrorSentence.ACCOUNT_SYSTEM.text(account.name()));
        }
        if (serverUser.filter(account.name()::equals).isPresent()) {
            return Optional.of(ErrorSentence.ACCOUNT_SERVER.text(account.name()));
        }
        if (deniedUsers.contains(account.name())) {
            return Optional.of(ErrorSentence.ACCOUNT_EXCLUDED.text(account.name()));
        }
        return group.filter(required -> !account.groups().contains(required))
                .map(required -> ErrorSentence.ACCOUNT_GROUP.text(account.name(), required));
    }
}
