package dev.berth.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.RunAs;
import dev.berth.node.process.Proc;
import dev.berth.node.process.SearchPath;
import dev.berth.port.JobCommands;
import dev.berth.port.JobCommands.Program;
import dev.berth.port.JobCommands.Result;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.Accounts.Account;
import dev.berth.testkit.Script;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Commands of a cluster run as the owners of tasks, and as nobody else. Needs root. */
final class OwnerJobCommandsTest {

    private static final int ANN = 1_790_000_001;
    private static final AttemptId ATTEMPT = new AttemptId(new TaskId(7), 1);

    @TempDir private Path root;
    private final RecordedProcesses journal = new RecordedProcesses();
    private final Map<String, Account> known = new TreeMap<>();
    private JobCommands commands;

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(Proc.userIdOfThisProcess() == 0, "only root can run programs as other users");
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        var program = root.resolve("sbatch");
        Script.write(
                program,
                """
                #!/bin/bash
                id -u; id -g; id -G; env; printf '%s\\n' "$@"; [[ $1 != --fail ]] || { echo no >&2; exit 4; }
                """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        add("ann", ANN, ANN + 10, List.of(ANN + 10, ANN + 20));
        add("root", 0, 0, List.of(0));
        add("daemon", 1, 1, List.of(1));
        add("bob", ANN + 1, ANN + 11, List.of(ANN + 11));
        var rules = new AccountRules(1000, Optional.empty(), new TreeSet<>(List.of("bob")));
        commands =
                new OwnerJobCommands(
                        new LaunchAccounts(Optional.of(rules), new Known(known)),
                        journal,
                        Map.of("SLURM_CONF", "/etc/some.conf", "LD_PRELOAD", "/evil.so"),
                        new SearchPath(root.toString()));
    }

    private void add(String name, int uid, int gid, List<Integer> gids) {
        known.put(
                name,
                new Account(
                        name,
                        uid,
                        gid,
                        Path.of("/home/" + name),
                        Path.of("/bin/sh"),
                        gids,
                        List.of()));
    }

    private record Known(Map<String, Account> accounts) implements Accounts {
        @Override
        public Optional<Account> named(String user) {
            return Optional.ofNullable(accounts.get(user));
        }

        @Override
        public Optional<Account> withUid(int uid) {
            return accounts.values().stream().filter(one -> one.uid() == uid).findFirst();
        }

        @Override
        public boolean hasGroup(String name) {
            return accounts.values().stream().anyMatch(one -> one.groups().contains(name));
        }
    }

    private Result run(String user, int uid, String... arguments) throws IOException {
        return commands.run(
                ATTEMPT,
                new RunAs(user, uid, Optional.empty()),
                Program.SBATCH,
                List.of(arguments));
    }

    @Test
    void aCommandHasExactlyTheUserAndGroupsOfTheOwnerAndACleanEnvironment() throws IOException {
        var ended = (Result.Ended) run("ann", ANN, "--wrap=echo $HOME", "a b");

        assertThat(ended.status()).isZero();
        var lines = ended.output().lines().toList();
        assertThat(lines.subList(0, 3))
                .containsExactly(
                        Integer.toString(ANN),
                        Integer.toString(ANN + 10),
                        (ANN + 10) + " " + (ANN + 20));
        assertThat(lines).contains("--wrap=echo $HOME", "a b");
        assertThat(lines.subList(3, lines.size() - 2))
                .map(line -> line.substring(0, line.indexOf('=')))
                .containsExactlyInAnyOrder(
                        "HOME",
                        "LANG",
                        "LOGNAME",
                        "PATH",
                        "PWD",
                        "SHELL",
                        "SHLVL",
                        "SLURM_CONF",
                        "USER",
                        "_");
        assertThat(lines).contains("HOME=/home/ann", "USER=ann");
        assertThat(journal.started).hasSize(1);
    }

    @Test
    void aFailureIsReportedWithItsText() throws IOException {
        var ended = (Result.Ended) run("ann", ANN, "--fail");

        assertThat(ended.status()).isEqualTo(4);
        assertThat(ended.errors()).isEqualTo("no\n");
    }

    /** Whatever the server orders. */
    @Test
    void nothingRunsAsRootOrAsAnAccountThatTheNodeRefuses() throws IOException {
        assertThat(run("root", 0)).isInstanceOf(Result.Refused.class);
        assertThat(run("ann", 0)).isInstanceOf(Result.Refused.class);
        assertThat(run("daemon", 1)).isInstanceOf(Result.Refused.class);
        assertThat(run("bob", ANN + 1)).isInstanceOf(Result.Refused.class);
        assertThat(run("nobody-known", ANN)).isInstanceOf(Result.Refused.class);
        assertThat(run("ann", ANN + 1)).as("another uid").isInstanceOf(Result.Refused.class);
        assertThat(journal.started).isEmpty();
        assertThat(journal.refused).hasSize(6);
    }

    @Test
    void aMissingProgramIsNamed() {
        var ann = new RunAs("ann", ANN, Optional.empty());
        assertThatThrownBy(() -> commands.run(ATTEMPT, ann, Program.SCANCEL, List.of("1")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("scancel");
    }
}
