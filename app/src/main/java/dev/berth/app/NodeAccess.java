package dev.berth.app;

import dev.berth.cli.call.CliVersion;
import dev.berth.config.Configuration;
import dev.berth.files.UserPaths;
import dev.berth.node.LocalHomeTraces;
import dev.berth.node.LocalNode;
import dev.berth.node.ScriptReports;
import dev.berth.node.linux.LocalAccounts;
import dev.berth.node.pam.PamPasswordCheck;
import dev.berth.node.shim.LocalTaskFolders;
import dev.berth.nodeprocess.NodeConfig;
import dev.berth.nodesocket.client.RemoteNode;
import dev.berth.port.Failpoints;
import dev.berth.port.JobCommands;
import dev.berth.port.PasswordCheck;
import dev.berth.port.TaskFolders;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.NodePorts;
import dev.berth.port.recover.HomeTraces;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** How a server reaches its node: in its own process, or through a socket. */
interface NodeAccess extends AutoCloseable {

    Logger log = LoggerFactory.getLogger(NodeAccess.class);

    /** What the tasks' directories and processes show now. */
    HomeTraces traces() throws IOException;

    /** The node; called once. */
    NodePorts start(Failpoints failpoints, ScriptReports reports) throws IOException;

    /** The folders of ended tasks; called once. */
    TaskFolders folders();

    /** Where GPUs are read, as configured. */
    String gpus();

    /** The accounts that tasks run as; empty if all run as the server's user. */
    Optional<Accounts> accounts();

    /**
     * Checks the passwords of users; empty if nobody logs in by password.
     *
     * @param service of PAM, as the server's configuration names it
     */
    Optional<PasswordCheck> passwords(Optional<String> service);

    /** Runs commands of a cluster as the owners of tasks; empty if all run as the server's user. */
    Optional<JobCommands> jobCommands();

    /** Tells the node where the server accepts requests, and how it is stopped. */
    void announce(String url, Runnable stop);

    static NodeAccess of(ServerSettings settings, UserPaths paths) throws IOException {
        if (settings.system().isEmpty()) {
            return new Local(settings, paths);
        }
        if (settings.config().slurm().isPresent()) {
            settings.home().requireSharedTasks();
            return new OnCluster(new Local(settings, paths), remote(settings.system().get()));
        }
        Remote.warnOfSettings(settings.config());
        return remote(settings.system().get());
    }

    private static Remote remote(SystemPaths paths) throws IOException {
        return new Remote(connect(paths), new LocalAccounts());
    }

    private static RemoteNode connect(SystemPaths paths) throws IOException {
        try {
            return RemoteNode.connect(
                    paths.nodeSocket(), "root", CliVersion.CURRENT, Remote.START_LIMIT);
        } catch (IOException away) {
            throw new IOException(
                    "The server cannot start without its node: %s. Start it with `berth node`, or both with `berth serve --system` as root."
                            .formatted(away.getMessage()),
                    away);
        }
    }

    /** Both have the same user and end together. */
    final class Local implements NodeAccess {
        private final ServerSettings settings;
        private final Deque<AutoCloseable> parts = new ArrayDeque<>();

        Local(ServerSettings settings, UserPaths paths) {
            this.settings = settings;
            settings.node()
                    .commands()
                    .problem(paths)
                    .ifPresent(why -> log.warn("no task can start: {}", why));
        }

        @Override
        public HomeTraces traces() throws IOException {
            return LocalHomeTraces.read(settings.home().tasks());
        }

        @Override
        public NodePorts start(Failpoints failpoints, ScriptReports reports) throws IOException {
            var node = LocalNode.start(settings.node(), failpoints, reports);
            parts.push(node);
            return node;
        }

        @Override
        public TaskFolders folders() {
            var folders = LocalTaskFolders.open(settings.node().tasksDirectory());
            parts.push(folders);
            return folders;
        }

        @Override
        public String gpus() {
            return settings.gpus().toString();
        }

        @Override
        public Optional<Accounts> accounts() {
            return Optional.empty();
        }

        @Override
        public Optional<PasswordCheck> passwords(Optional<String> service) {
            return service.map(PamPasswordCheck::ofService);
        }

        @Override
        public Optional<JobCommands> jobCommands() {
            return Optional.empty();
        }

        @Override
        public void announce(String url, Runnable stop) {}

        @Override
        public void close() throws Exception {
            while (!parts.isEmpty()) {
                parts.pop().close();
            }
        }
    }

    /** The node is a process of root. */
    record Remote(RemoteNode node, LocalAccounts users) implements NodeAccess {

        /** Longer than a node needs to start. */
        private static final Duration START_LIMIT = Duration.ofSeconds(30);

        /** What root executes is decided by the file of root. */
        private static void warnOfSettings(Configuration config) {
            config.entries().stream()
                    .filter(entry -> NodeConfig.KEYS.contains(entry.key()))
                    .filter(entry -> !entry.source().equals("default"))
                    .forEach(
                            entry ->
                                    log.warn(
                                            "{}: {} has no effect here; it is a key of the node's"
                                                    + " configuration",
                                            entry.source(),
                                            entry.key()));
        }

        @Override
        public HomeTraces traces() throws IOException {
            return node.traces();
        }

        /** Its failpoints are its own. Scripts of other users do not report to the server. */
        @Override
        public NodePorts start(Failpoints failpoints, ScriptReports reports) {
            return node;
        }

        @Override
        public TaskFolders folders() {
            return node.folders();
        }

        @Override
        public String gpus() {
            return node.gpus();
        }

        @Override
        public Optional<Accounts> accounts() {
            return Optional.of(users);
        }

        /** The service is the node's choice, because root executes it. */
        @Override
        public Optional<PasswordCheck> passwords(Optional<String> service) {
            return node.passwords();
        }

        @Override
        public Optional<JobCommands> jobCommands() {
            return Optional.of(node.jobCommands());
        }

        @Override
        public void announce(String url, Runnable stop) {
            node.onStopRequest(stop);
            node.announce(url);
        }

        @Override
        public void close() {
            node.close();
            users.close();
        }
    }

    /**
     * Tasks run on a cluster as their owners. Their directories belong to the server and are on a
     * path that all hosts share; root, which may have no rights there, only submits and cancels
     * jobs.
     */
    record OnCluster(Local files, Remote root) implements NodeAccess {

        @Override
        public HomeTraces traces() throws IOException {
            return LocalHomeTraces.readForManyUsers(files.settings.home().tasks());
        }

        @Override
        public NodePorts start(Failpoints failpoints, ScriptReports reports) throws IOException {
            return files.start(failpoints, reports);
        }

        @Override
        public TaskFolders folders() {
            return files.folders();
        }

        @Override
        public String gpus() {
            return files.gpus();
        }

        @Override
        public Optional<Accounts> accounts() {
            return root.accounts();
        }

        @Override
        public Optional<PasswordCheck> passwords(Optional<String> service) {
            return root.passwords(service);
        }

        @Override
        public Optional<JobCommands> jobCommands() {
            return root.jobCommands();
        }

        @Override
        public void announce(String url, Runnable stop) {
            root.announce(url, stop);
        }

        @Override
        public void close() throws Exception {
            files.close();
            root.close();
        }
    }
}
