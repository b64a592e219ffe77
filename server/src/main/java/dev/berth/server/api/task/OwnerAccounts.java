package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ShellContext;
import dev.berth.http.RejectedException;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.Accounts.Account;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which account a new task runs as: that of its owner. In a home of one user tasks run as
 * the server's user, and there is nothing to decide.
 */
public final class OwnerAccounts {

    /** For a home of one user. */
    public static final OwnerAccounts OF_SERVER = new OwnerAccounts(Optional.empty());

    private static final Logger log = LoggerFactory.getLogger(OwnerAccounts.class);

    private final Optional<Accounts> accounts;

    private OwnerAccounts(Optional<Accounts> accounts) {
        this.accounts = accounts;
    }

    /** For a server of many users. */
    public static OwnerAccounts of(Accounts accounts) {
        return new OwnerAccounts(Optional.of(accounts));
    }

    /** Whether each task runs as its owner. */
    public boolean arePerOwner() {
        return accounts.isPresent();
    }

    /** The accounts of the machine, if tasks run as their owners. */
    public Optional<Accounts> ofMachine() {
        return accounts;
    }

    /** The name of this way to run tasks in the API. */
    public String mode() {
        return arePerOwner() ? "system" : "personal";
    }

    public CachedLookup newLookup() {
        return new CachedLookup();
    }

    /** Asks for each owner once for a whole batch of tasks. */
    public final class CachedLookup {
        private final Map<Owner, Account> found = new HashMap<>();

        /** Empty if the task runs as the server's user. */
        public Optional<Account> of(Owner owner) throws RejectedException {
            if (accounts.isEmpty()) {
                return Optional.empty();
            }
            var known = found.get(owner);
            var account = known == null ? find(accounts.get(), owner) : known;
            found.put(owner, account);
            return Optional.of(account);
        }
    }

    /**
     * The account that a copy of a task runs as. The shell stays with its owner: it may hold
     * secrets.
     */
    static Optional<RunAs> ofCopy(Optional<Account> account, Optional<RunAs> original) {
        return account.map(
                one ->
                        runAs(
                                one,
                                original.filter(other -> other.uid() == one.uid())
                                        .flatMap(RunAs::shell)));
    }

    public static RunAs runAs(Account account, Optional<ShellContext> shell) {
        return new RunAs(account.name(), account.uid(), shell);
    }

    private static Account find(Accounts accounts, Owner owner) throws RejectedException {
        Optional<Account> account;
        try {
            account = accounts.named(owner.name());
        } catch (IOException e) {
            log.warn("the account of a task's owner cannot be read: {}", e.getMessage());
            throw new RejectedException(
                    Rejected.unavailable("account.unreadable").with("user", owner.name()));
        }
        // A uid without an account is shown by its number, which may be the name of another user.
        if (account.isEmpty() || !owner.equals(Owner.unix(owner.name()))) {
            throw refused("account.unknown", owner);
        }
        if (account.get().uid() == 0) {
            throw refused("account.root", owner);
        }
        return account.get();
    }

    private static RejectedException refused(String code, Owner owner) {
        return new RejectedException(Rejected.invalid(code, "owner").with("user", owner.name()));
    }
}
