package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * One home with its server and every process that was started there. Closing it ends all of them.
 */
final class ServerHarness implements AutoCloseable {

    private static final Set<ServerHarness> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(ServerHarness::close)));
    }

    private final String mark = "BERTH_TEST_WORLD=" + UUID.randomUUID();
    private final Map<String, String> environment = new TreeMap<>();
    private final List<ServerProcess> servers = new ArrayList<>();
    private final Path root;
    private List<String> wrapper = List.of();
    private List<String> jvm = List.of();
    private boolean hasLauncher;
    private List<String> options = List.of("--gpus", "sim:4x24576", "--auth", "none");
    private String port = "0";
    private volatile String url = "";

    ServerHarness() {
        try {
            root = Files.createTempDirectory("berth-");
            for (var directory : List.of("home", "failpoints", "files")) {
                Files.createDirectory(root.resolve(directory));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("making a world", e);
        }
        OPEN.add(this);
        // Windows would be opened in the tmux server of the user who runs the tests.
        env("BERTH_RUNNER", "detached");
    }

    ServerHarness env(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Options for the server's JVM, such as a small heap. */
    ServerHarness jvm(String... values) {
        jvm = List.of(values);
        return this;
    }

    /** From now on servers are started by the script {@code berth}, with its JVM options. */
    ServerHarness launcher() {
        hasLauncher = true;
        return this;
    }

    ServerHarness options(String... values) {
        options = List.of(values);
        return this;
    }

    ServerHarness simulatedGpus(int count) {
        return options("--gpus", "sim:" + count + "x24576", "--auth", "none");
    }

    /** Writes the configuration file for the servers to start. */
    ServerHarness configure(String yaml) {
        try {
            Files.createDirectories(home().resolve("config"));
            Files.writeString(home().resolve("config/berth.yaml"), yaml);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("writing the configuration", e);
        }
    }

    /** Arguments before the server's command line; they must exec that command. */
    ServerHarness wrapper(String... words) {
        wrapper = List.of(words);
        return this;
    }

    Path home() {
        return root.resolve("home");
    }

    /** A directory for the test's own files. */
    Path file(String name) {
        return root.resolve("files").resolve(name);
    }

    Path tasks() {
        return home().resolve("runtime/tasks");
    }

    Path attempt(long task, int number) {
        return tasks().resolve("task_" + task + "/attempts/" + number);
    }

    Failpoint failpoint(String name) {
        return new Failpoint(root.resolve("failpoints"), name);
    }

    /** Starts a server and returns immediately. */
    ServerProcess launch() {
        var command = new ArrayList<>(wrapper);
        var arguments = new ArrayList<>(List.of("serve", "--home", home().toString()));
        if (!port.isEmpty()) {
            arguments.addAll(List.of("--port", port));
        }
        arguments.addAll(options);
        command.addAll(
                hasLauncher
                        ? ProgramUnderTest.launcher(arguments)
                        : jvm.isEmpty()
                                ? ProgramUnderTest.command(arguments)
                                : ProgramUnderTest.command(jvm, arguments));
        var all = new HashMap<>(environment);
        if (hasLauncher) {
            all.putAll(ProgramUnderTest.launcherEnvironment());
        }
        all.put("BERTH_FAILPOINTS", root.resolve("failpoints").toString());
        all.put(mark.substring(0, mark.indexOf('=')), mark.substring(mark.indexOf('=') + 1));
        var server = ServerProcess.launch(command, all, root.resolve("server" + servers.size()));
        servers.add(server);
        return server;
    }

    /** Starts a server and waits until it is ready. */
    TestApi start() {
        url = launch().awaitReady();
        return api();
    }

    /** Runs a command on this home that must succeed, and returns what it printed. */
    String run(String command, String... arguments) {
        var process = command(command, arguments);
        if (process.exitValue() != 0) {
            throw new AssertionError(process.stdout() + process.outputTail());
        }
        return process.stdout();
    }

    /** Runs a command on this home and waits for its end. */
    ServerProcess command(String command, String... arguments) {
        var words = new ArrayList<>(List.of(command));
        words.addAll(List.of(arguments));
        words.addAll(List.of("--home", home().toString()));
        var outputs = root.resolve("command");
        var process = ServerProcess.launch(ProgramUnderTest.command(words), environment, outputs);
        process.awaitEnd();
        return process;
    }

    /** Uses a server that was launched and has become ready. */
    void attach(String readyUrl) {
        url = readyUrl;
    }

    TestApi api() {
        return new TestApi(new TcpTestClient(url));
    }

    TestApi socket() {
        return new TestApi(new SocketTestClient(home().resolve("berth.sock")));
    }

    /** The server's URL. */
    String url() {
        return url;
    }

    /** From now on servers listen on the port of the last one. */
    ServerHarness samePort() {
        port = url.substring(url.lastIndexOf(':') + 1);
        return this;
    }

    /** From now on servers listen on the configured port. */
    ServerHarness configuredPort() {
        port = "";
        return this;
    }

    /** The server that was started last. */
    ServerProcess server() {
        return servers.getLast();
    }

    void kill() {
        server().kill();
    }

    TestApi restart() {
        kill();
        return start();
    }

    /** The living processes that tasks started. */
    List<LeftoverProcesses.LeftoverProcess> leftovers() {
        return LeftoverProcesses.marked(
                mark, servers.stream().map(ServerProcess::pid).collect(Collectors.toSet()));
    }

    void awaitNoLeftovers() {
        try {
            eventually("nothing that a task started still lives", () -> leftovers().isEmpty());
        } catch (AssertionError e) {
            throw new AssertionError("still alive: " + leftovers(), e);
        }
    }

    boolean isOpen() {
        return OPEN.contains(this);
    }

    /** A summary of events, for the report of a failure. */
    String report() {
        return servers.stream()
                        .map(ServerProcess::outputTail)
                        .collect(Collectors.joining("\n", "\n", "\n"))
                + leftovers().stream()
                        .map(LeftoverProcesses.LeftoverProcess::toString)
                        .collect(Collectors.joining("\n", "still alive:\n", ""));
    }

    private void endAll() {
        servers.stream().filter(ServerProcess::isAlive).forEach(ServerProcess::kill);
        leftovers().forEach(stray -> LeftoverProcesses.end(stray, mark));
    }

    @Override
    public void close() {
        OPEN.remove(this);
        // A process that is just loading its program has no environment, so a scan can miss it. It
        // then creates files while these are removed, and the next scan finds it.
        eventually(
                "everything of this world has ended and its files are removed",
                () -> {
                    endAll();
                    return leftovers().isEmpty() && isRemoved();
                });
    }

    private boolean isRemoved() {
        try {
            remove(root);
            return true;
        } catch (UncheckedIOException busy) {
            return false;
        }
    }

    static void remove(Path root) {
        try (var paths = Files.walk(root)) {
            for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("removing " + root, e);
        }
    }
}
