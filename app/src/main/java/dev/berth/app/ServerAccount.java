package dev.berth.app;

import dev.berth.cli.call.CommandFailure;
import dev.berth.node.linux.LocalAccounts;

import java.io.IOException;
import java.util.List;

/**
 * The account that the server of a machine runs as.
 *
 * @param group its primary group
 */
record ServerAccount(String user, int group) {

    static ServerAccount find(String user) throws IOException {
        try (var accounts = new LocalAccounts()) {
            return find(user, accounts);
        }
    }

    static ServerAccount find(String user, LocalAccounts accounts) throws IOException {
        return new ServerAccount(
                user,
                accounts.named(user)
                        .orElseThrow(
                                () ->
                                        new CommandFailure(
                                                "The account %s of the server does not exist. Create it: useradd --system %s"
                                                        .formatted(user, user)))
                        .gid());
    }

    /** How root starts a program as this account; the program follows. */
    List<String> asAccount() {
        return List.of(
                "/usr/bin/setpriv",
                "--reuid=" + user,
                "--regid=" + group,
                "--init-groups",
                "--inh-caps=-all",
                "--bounding-set=-all",
                "--no-new-privs");
    }
}
