package dev.berth.node;

import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.RunAs;
import dev.berth.node.shim.CommandOwner;
import dev.berth.port.read.Accounts;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decides which account a command runs as. In a home of one user that is the server's own; on a
 * node for many users it is the owner's, as it is at the launch.
 *
 * @param rules empty in a home of one user
 */
record LaunchAccounts(Optional<AccountRules> rules, Accounts accounts) {

    /**
     * @return empty for the server's own account
     * @throws RefusedException the task cannot run as this account
     * @throws IOException the accounts cannot be looked up now
     */
    Optional<CommandOwner> resolve(Optional<RunAs> ordered) throws RefusedException, IOException {
        if (rules.isEmpty()) {
            if (ordered.isPresent()) {
                throw new RefusedException(ErrorSentence.ACCOUNT_OWN_ONLY.text());
            }
            return Optional.empty();
        }
        if (ordered.isEmpty()) {
            throw new RefusedException(ErrorSentence.ACCOUNT_NONE.text());
        }
        return Optional.of(find(rules.get(), ordered.get()));
    }

    /** The uid of this account; empty if no task of it would be started. */
    OptionalInt uid(RunAs named) throws IOException {
        try {
            var owner = resolve(Optional.of(named));
            return owner.isPresent() ? OptionalInt.of(owner.get().uid()) : OptionalInt.empty();
        } catch (RefusedException refused) {
            return OptionalInt.empty();
        }
    }

    private CommandOwner find(AccountRules allowed, RunAs ordered)
            throws RefusedException, IOException {
        var user = ordered.user();
        var account = accounts.named(user).filter(found -> found.name().equals(user));
        if (account.isEmpty()) {
            throw new RefusedException(ErrorSentence.ACCOUNT_MISSING.text(user));
        }
        int uid = account.get().uid();
        if (uid != ordered.uid()) {
            throw new RefusedException(
                    ErrorSentence.ACCOUNT_CHANGED.text(user, uid, ordered.uid()));
        }
        var refusal = allowed.refusal(account.get());
        if (refusal.isPresent()) {
            throw new RefusedException(refusal.get());
        }
        return new CommandOwner(account.get(), ordered.shell());
    }

    /** The task is to blame, or its account; the machine works. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        private final String reason;

        RefusedException(String reason) {
            super(reason);
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }
}
