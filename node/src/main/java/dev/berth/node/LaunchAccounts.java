package dev.berth.node;

import dev.berth.core.task.RunAs;
import dev.berth.node.shim.CommandOwner;
import dev.berth.port.read.Accounts;

import java.io.IOException;
import java.util.Optional;

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
                throw new RefusedException("this server runs tasks only as its own user");
            }
            return Optional.empty();
        }
        if (ordered.isEmpty()) {
            throw new RefusedException("it names no account to run as");
        }
        return Optional.of(find(rules.get(), ordered.get()));
    }

    private CommandOwner find(AccountRules allowed, RunAs ordered)
            throws RefusedException, IOException {
        var account =
                accounts.named(ordered.user())
                        .filter(found -> found.name().equals(ordered.user()))
                        .orElseThrow(
                                () ->
                                        new RefusedException(
                                                "there is no account "
                                                        + ordered.user()
                                                        + " on this machine"));
        if (account.uid() != ordered.uid()) {
            throw new RefusedException(
                    "the account %s has uid %s now, but had uid %s when the task was submitted"
                            .formatted(account.name(), account.uid(), ordered.uid()));
        }
        var refusal = allowed.refusal(account);
        if (refusal.isPresent()) {
            throw new RefusedException(
                    "no task runs as %s: %s".formatted(account.name(), refusal.get()));
        }
        return new CommandOwner(account, ordered.shell());
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
