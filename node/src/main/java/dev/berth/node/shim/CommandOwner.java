package dev.berth.node.shim;

import dev.berth.core.task.ShellContext;
import dev.berth.port.read.Accounts.Account;

import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The account that a command runs as, if that is not the server's own.
 *
 * @param account as the node found it at the launch, with all its groups
 * @param shell the shell of the submit; empty if the account's own values apply
 */
public record CommandOwner(Account account, Optional<ShellContext> shell) {

    public int uid() {
        return account.uid();
    }

    String gid() {
        return Integer.toUnsignedString(account.gid());
    }

    /** All its groups, separated by commas. */
    String groups() {
        return account.gids().stream()
                .map(Integer::toUnsignedString)
                .collect(Collectors.joining(","));
    }
}
