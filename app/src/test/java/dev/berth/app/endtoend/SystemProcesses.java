package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The server of a machine: the node as root and the server as another account. */
final class SystemProcesses implements AutoCloseable {

    private final Path root;
    private final String serverUser;
    private final String gpus;
    private final Map<String, String> environment = new TreeMap<>();
    private int launches;
    private Optional<ServerProcess> node = Optional.empty();
    private Optional<ServerProcess> server = Optional.empty();

    SystemProcesses(String serverUser, String gpus) throws IOException {
        this.root = Files.createTempDirectory("berth-system-");
        this.serverUser = serverUser;
        this.gpus = gpus;
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Path state() {
        return root.resolve("state");
    }

    String serverUser() {
        return serverUser;
    }

    /** A variable of the node and of the server. */
    void env(String name, String value) {
        environment.put(name, value);
    }

    /** Before the start: the configuration of the server. */
    void configure(String text) throws IOException {
        write("config.yaml", text);
    }

    /** Before the start: the configuration of the node. */
    void configureNode(String text) throws IOException {
        write("node.conf", text);
    }

    private void write(String name, String text) throws IOException {
        Files.createDirectories(state());
        Files.setPosixFilePermissions(state(), PosixFilePermissions.fromString("rwxr-xr-x"));
        var file = Files.writeString(state().resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /** A directory of the server that other users may pass. */
    Path createServerDirectory(String name) throws IOException {
        var directory = Files.createDirectory(root.resolve(name));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        var users = directory.getFileSystem().getUserPrincipalLookupService();
        Files.setOwner(directory, users.lookupPrincipalByName(serverUser));
        return directory;
    }

    /** A file that every user may append to. */
    Path sharedFile(String name) throws IOException {
        var file = Files.createFile(root.resolve(name));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        return file;
    }

    Path journal() {
        return state().resolve("node/logs/processes.log");
    }

    ServerProcess node() {
        return node.orElseThrow();
    }

    ServerProcess server() {
        return server.orElseThrow();
    }

    Path socket() {
        return state().resolve("run/berth.sock");
    }

    /** The directory of an attempt. */
    Path attempt(long task, int number) {
        return state().resolve("node/tasks/task_%d/attempts/%d".formatted(task, number));
    }

    /** As root. */
    TestApi api() {
        return new TestApi(new SocketTestClient(socket()));
    }

    ServerProcess launchNode() {
        var started =
                launch(
                        ProgramUnderTest.command(
                                List.of(),
                                List.of(
                                        "node",
                                        "--state",
                                        state().toString(),
                                        "--server-user",
                                        serverUser,
                                        "--gpus",
                                        gpus)));
        node = Optional.of(started);
        return started;
    }

    void awaitNode() {
        eventually("the node listens", () -> node().stdout().startsWith("listening "));
    }

    ServerProcess launchServer() {
        var started = launch(asServer("serve", "--port", "0"));
        server = Optional.of(started);
        return started;
    }

    private List<String> asServer(String verb, String... more) {
        var arguments = new ArrayList<>(List.of(verb, "--system", "--state", state().toString()));
        arguments.addAll(List.of(more));
        var command =
                new ArrayList<>(
                        List.of(
                                "/usr/bin/setpriv",
                                "--reuid=" + serverUser,
                                "--regid=" + serverUser,
                                "--clear-groups",
                                "--"));
        command.addAll(ProgramUnderTest.command(List.of(), arguments));
        return command;
    }

    /** Recovers the database. The server must not run. */
    UserTestClient.Outcome recover() {
        var process = launch(asServer("recover"));
        return new UserTestClient.Outcome(process.awaitEnd(), process.stdout() + process.stderr());
    }

    /** Checks this server as root, with jobs of a user. */
    UserTestClient.Outcome doctor(String user) {
        var arguments = List.of("doctor", "--system", "--state", state().toString(), "--as", user);
        var process = launch(ProgramUnderTest.command(List.of(), arguments));
        return new UserTestClient.Outcome(process.awaitEnd(), process.stdout() + process.stderr());
    }

    /** The home of the server. */
    Path home() {
        return state().resolve("server");
    }

    /** Kills the server and deletes its database. */
    void loseDatabase() throws IOException {
        server().kill();
        try (Stream<Path> files = Files.walk(home())) {
            var lost = files.filter(file -> file.getFileName().toString().startsWith("tasks.db"));
            for (var file : lost.toList()) {
                Files.delete(file);
            }
        }
    }

    void start() {
        launchNode();
        awaitNode();
        launchServer();
        server().awaitReady();
    }

    private ServerProcess launch(List<String> command) {
        launches++;
        return ServerProcess.launch(command, environment, root.resolve("process" + launches));
    }

    /** The processes of these users that are alive. */
    static List<Long> processesOf(List<Integer> uids) {
        return ProcessHandle.allProcesses()
                .filter(ProcessHandle::isAlive)
                .map(ProcessHandle::pid)
                .filter(pid -> uids.contains(uid(pid)))
                .toList();
    }

    private static int uid(long pid) {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/" + pid), "unix:uid");
        } catch (IOException gone) {
            return -1;
        }
    }

    /** Ends both processes. */
    void stop() {
        server.filter(ServerProcess::isAlive).ifPresent(ServerProcess::kill);
        node.filter(ServerProcess::isAlive).ifPresent(ServerProcess::kill);
    }

    @Override
    public void close() {
        stop();
        try {
            ServerHarness.remove(root);
        } catch (UncheckedIOException busy) {
            // A temporary directory.
        }
    }
}
