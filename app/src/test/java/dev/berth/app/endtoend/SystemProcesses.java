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

/** The server of a machine: the node as root and the server as another account. */
final class SystemProcesses implements AutoCloseable {

    private final Path root;
    private final String serverUser;
    private final String gpus;
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

    /** The home of the server. */
    Path home() {
        return state().resolve("server");
    }

    void start() {
        launchNode();
        awaitNode();
        launchServer();
        server().awaitReady();
    }

    private ServerProcess launch(List<String> command) {
        launches++;
        return ServerProcess.launch(command, Map.of(), root.resolve("process" + launches));
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

    @Override
    public void close() {
        server.filter(ServerProcess::isAlive).ifPresent(ServerProcess::kill);
        node.filter(ServerProcess::isAlive).ifPresent(ServerProcess::kill);
        try {
            ServerHarness.remove(root);
        } catch (UncheckedIOException busy) {
            // A temporary directory.
        }
    }
}
