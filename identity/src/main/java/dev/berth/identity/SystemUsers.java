package dev.berth.identity;

import dev.berth.core.task.Owner;
import dev.berth.port.read.Accounts.Account;

import java.io.IOException;
import java.util.Optional;

/** A server for the whole machine: serves every account to which the rules give a role. */
public final class SystemUsers implements ServedUsers {

    private static final String UNIX = "unix:";

    private final CachedAccounts accounts;
    private final RoleRules roles;
    private final String serverName;

    public SystemUsers(CachedAccounts accounts, RoleRules roles, ServerUser server) {
        this.accounts = accounts;
        this.roles = roles;
        this.serverName = server.name();
    }

    @Override
    public UserAccess withUid(int uid) {
        try {
            return access(accounts.withUid(uid), "uid " + Integer.toUnsignedString(uid));
        } catch (IOException e) {
            return new UserAccess.Unreadable(String.valueOf(e.getMessage()));
        }
    }

    /** A principal of another form, such as that of a uid without an account, has no account. */
    @Override
    public UserAccess of(Owner owner) {
        return owner.principal().startsWith(UNIX)
                ? named(owner.principal().substring(UNIX.length()))
                : new UserAccess.Refused(UserAccess.Reason.NO_ACCOUNT, owner.name());
    }

    @Override
    public UserAccess named(String name) {
        try {
            return access(accounts.named(name), name);
        } catch (IOException e) {
            return new UserAccess.Unreadable(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public String serverName() {
        return serverName;
    }

    private UserAccess access(Optional<Account> found, String user) {
        if (found.isEmpty()) {
            return new UserAccess.Refused(UserAccess.Reason.NO_ACCOUNT, user);
        }
        var account = found.get();
        return roles.of(account)
                .<UserAccess>map(
                        role ->
                                new UserAccess.Served(
                                        Owner.unix(account.name()), account.uid(), role))
                .orElseGet(() -> new UserAccess.Refused(UserAccess.Reason.NO_ROLE, account.name()));
    }
}
