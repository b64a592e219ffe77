package dev.berth.node;

import static dev.berth.testkit.Eventually.present;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShellContext;
import dev.berth.core.task.TaskSpec;
import dev.berth.node.gpu.GpuSettings;
import dev.berth.node.gpu.GpuSource;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ShimChoice;
import dev.berth.node.shim.ShimChoices;
import dev.berth.node.window.TmuxWindows;
import dev.berth.node.worker.WorkerSettings;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.Node;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.Accounts.Account;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A node that runs tasks as their owners, with accounts that exist for the test alone: the kernel
 * needs no entry for a uid.
 */
final class ManyUsersNode implements AutoCloseable {

    /** Above all ids that systems assign, and different in tests that run at the same time. */
    private static final int FIRST_UID =
            1_700_000_000 + (int) (ProcessHandle.current().pid() % 100_000) * 100;

    private final Path root;
    private final Path tasks;
    private final Map<String, Account> accounts = new TreeMap<>();
    final List<Fact> facts = new CopyOnWriteArrayList<>();
    final RecordedProcesses journal = new RecordedProcesses();
    private final TmuxWindows.WindowMode windows;
    private ShimChoice shim;
    final Account alice;
    final Account bob;
    private LocalNode node;
    private int count;

    private ManyUsersNode(Path root, int number, ShimChoice shim, TmuxWindows.WindowMode windows)
            throws IOException {
        this.root = root;
        this.shim = shim;
        this.windows = windows;
        this.tasks = root.resolve("tasks");
        Files.createDirectory(tasks);
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x--x"));
        alice = add("alice", FIRST_UID + 10 * number);
        bob = add("bob", FIRST_UID + 10 * number + 1);
        node = start();
    }

    /**
     * @param number distinguishes the tests of one JVM
     */
    static ManyUsersNode start(Path root, int number, ShimChoice shim) throws IOException {
        return start(root, number, shim, TmuxWindows.WindowMode.NEVER);
    }

    static ManyUsersNode start(
            Path root, int number, ShimChoice shim, TmuxWindows.WindowMode windows)
            throws IOException {
        assumeTrue(Proc.userIdOfThisProcess() == 0, "only root can run tasks as their owners");
        return new ManyUsersNode(root, number, ShimChoices.require(shim), windows);
    }

    /** Adds an account with a home directory of its own and two groups. */
    Account add(String name, int uid) throws IOException {
        var home = root.resolve("home-" + name);
        Files.createDirectory(home);
        Files.setAttribute(home, "unix:uid", uid);
        Files.setAttribute(home, "unix:gid", uid);
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
        var account =
                new Account(
                        name,
                        uid,
                        uid,
                        home,
                        Path.of("/bin/bash"),
                        List.of(uid, uid + 5),
                        List.of(name, "lab"));
        accounts.put(name, account);
        return account;
    }

    private LocalNode start() throws IOException {
        var settings =
                new LocalNode.NodeSettings(
                        "local",
                        tasks,
                        GpuSettings.of(new GpuSource.None()),
                        Duration.ofMillis(300),
                        16,
                        ShimChoices.settings(shim),
                        new TmuxWindows.WindowSettings(windows, Optional.empty()),
                        Duration.ofMinutes(10),
                        WorkerSettings.DEFAULT,
                        Optional.of(AccountRules.DEFAULT));
        var started =
                LocalNode.start(
                        settings, Failpoints.NONE, ScriptReports.NONE, new TestAccounts(), journal);
        started.reportTo(facts::add);
        return started;
    }

    /** As after a crash of the node: attempts go on. The next node uses the other shim. */
    void restart() throws IOException {
        node.close();
        shim = ShimChoices.other(shim);
        facts.clear();
        node = start();
    }

    LocalNode node() {
        return node;
    }

    Path tasks() {
        return tasks;
    }

    static RunAs runAs(Account account) {
        return new RunAs(account.name(), account.uid(), Optional.empty());
    }

    static RunAs runAs(Account account, ShellContext shell) {
        return new RunAs(account.name(), account.uid(), Optional.of(shell));
    }

    AttemptId launch(Account account, String command) {
        return launch(Optional.of(runAs(account)), command, new TreeMap<>());
    }

    AttemptId launch(Optional<RunAs> runAs, String command, SortedMap<String, String> environment) {
        count++;
        var id = new AttemptId(new TaskId(count), 1);
        var workDir =
                runAs.map(RunAs::user)
                        .map(accounts::get)
                        .map(account -> account.home().toString())
                        .orElse("/");
        var script = new Script.Text(command, workDir, environment, runAs);
        var spec = TaskSpec.of("t", command, Need.CPU, workDir).with(script);
        node.launch(new Node.Launch(attempt(id), spec, List.of(), Node.LaunchTerms.DEFAULT));
        return id;
    }

    Attempt attempt(AttemptId id) {
        return new Attempt(
                id, "local", 1, node.bootId(), List.of(), Instant.now(), new Phase.Starting());
    }

    Fact.Ended end(AttemptId id) {
        return present(
                "the end of " + id,
                () ->
                        facts.stream()
                                .filter(Fact.Ended.class::isInstance)
                                .map(Fact.Ended.class::cast)
                                .filter(fact -> fact.attempt().equals(id))
                                .findFirst());
    }

    /** Waits until the command has printed this line. */
    void awaitLine(AttemptId id, String line) {
        var _ =
                present(
                        line + " in the log",
                        () ->
                                log(id).contains("\n" + line + "\n")
                                        ? Optional.of(line)
                                        : Optional.empty());
    }

    AttemptDirectory directory(AttemptId id) {
        return AttemptDirectory.find(tasks, id);
    }

    String log(AttemptId id) throws IOException {
        var log = directory(id).log();
        return Files.exists(log) ? new String(Files.readAllBytes(log), StandardCharsets.UTF_8) : "";
    }

    /** What the command itself printed. */
    List<String> output(AttemptId id) throws IOException {
        var lines = log(id).lines().toList();
        int from = lines.indexOf("===== Command Script Start =====") + 4;
        int to = lines.lastIndexOf("===== Command Script Exit =====");
        return lines.subList(from, to);
    }

    /** The output of a command that ends well. */
    List<String> run(Account account, String command) throws IOException {
        var id = launch(account, command);
        end(id);
        return output(id);
    }

    @Override
    public void close() throws IOException {
        node.close();
    }

    private final class TestAccounts implements Accounts {
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
}
