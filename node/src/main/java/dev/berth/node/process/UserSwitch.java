package dev.berth.node.process;

import dev.berth.port.read.Accounts.Account;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Starts a program of another user, with {@code setpriv}. The program has that user, its groups,
 * and nothing that root has. {@code no_new_privs} stays off: newgrp, podman and sshfs need
 * set-user-id programs.
 */
public final class UserSwitch {

    private static final Optional<Path> SETPRIV = SearchPath.SYSTEM.find("setpriv");

    private static final String PATH =
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private UserSwitch() {}

    /**
     * @throws IOException with what to do, if the program is missing
     */
    public static void requireProgram() throws IOException {
        if (SETPRIV.isEmpty()) {
            throw new IOException(
                    "no program setpriv (Debian: apt install util-linux): tasks cannot run as"
                            + " their owners");
        }
    }

    /**
     * The words in front of the program. Root runs them, so the environment must be the node's: the
     * loader of programs obeys variables such as {@code LD_PRELOAD}.
     */
    public static List<String> to(Account account) {
        if (account.uid() <= 0 || account.gid() < 0) {
            throw new IllegalArgumentException(
                    "no program is started as uid " + account.uid() + ", gid " + account.gid());
        }
        return List.of(
                SETPRIV.orElseThrow().toString(),
                "--reuid=" + account.uid(),
                "--regid=" + account.gid(),
                account.gids().isEmpty() ? "--clear-groups" : "--groups=" + groups(account),
                "--inh-caps=-all",
                "--ambient-caps=-all",
                "--");
    }

    /** A program of this user without input, in the root directory, with a clean environment. */
    public static ProcessBuilder builder(Account account, List<String> program) {
        var command = new ArrayList<>(to(account));
        command.addAll(program);
        var builder = ProgramRun.builder(command).directory(new File("/"));
        builder.environment().clear();
        builder.environment()
                .putAll(
                        Map.of(
                                "PATH",
                                PATH,
                                "LANG",
                                "C.UTF-8",
                                "HOME",
                                account.home().toString(),
                                "USER",
                                account.name(),
                                "LOGNAME",
                                account.name(),
                                "SHELL",
                                account.shell().toString()));
        return builder;
    }

    private static String groups(Account account) {
        return account.gids().stream()
                .map(Integer::toUnsignedString)
                .collect(Collectors.joining(","));
    }
}
