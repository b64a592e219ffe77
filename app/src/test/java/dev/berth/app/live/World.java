package dev.berth.app.live;

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

/** One home with its server, and everything that was started there. Closing it ends all of that. */
final class World implements AutoCloseable {

    private static final Set<World> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(World::close)));
    }

    private final String mark = "BERTH_TEST_WORLD=" + UUID.randomUUID();
    private final Map<String, String> environment = new TreeMap<>();
    private final List<ServerProcess> servers = new ArrayList<>();
    private final Path root;
    private List<String> wrapper = List.of();
    private List<String> options = List.of("--gpus", "sim:4x24576", "--auth", "none");
    private String port = "0";
    private volatile String url = "";

    World() {
        try {
            root = Files.createTempDirectory("berth-");
            for (var directory : List.of("home", "failpoints", "files")) {
                Files.createDirectory(root.resolve(directory));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("making a world", e);
        }
        OPEN.add(this);
        // Windows would all be opened in the one tmux server of whoever runs the tests.
        env("BERTH_RUNNER", "detached");
    }

    World env(String name, String value) {
        environment.put(name, value);
        return this;
    }

    World options(String... values) {
        options = List.of(values);
        return this;
    }

    World cards(int count) {
        return options("--gpus", "sim:" + count + "x24576", "--auth", "none");
    }

    /** Writes the configuration file of servers to come. */
    World configure(String yaml) {
        try {
            Files.createDirectories(home().resolve("config"));
            Files.writeString(home().resolve("config/berth.yaml"), yaml);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException("writing the configuration", e);
        }
    }

    /** Words before the server's command line, which must end in its becoming that command. */
    World wrapper(String... words) {
        wrapper = List.of(words);
        return this;
    }

    Path home() {
        return root.resolve("home");
    }

    /** A place for the test's own files. */
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

    /** Starts a server and returns at once. */
    ServerProcess launch() {
        var command = new ArrayList<>(wrapper);
        var arguments = new ArrayList<>(List.of("serve", "--home", home().toString()));
        if (!port.isEmpty()) {
            arguments.addAll(List.of("--port", port));
        }
        arguments.addAll(options);
        command.addAll(Program.command(arguments));
        var all = new HashMap<>(environment);
        all.put("BERTH_FAILPOINTS", root.resolve("failpoints").toString());
        all.put(mark.substring(0, mark.indexOf('=')), mark.substring(mark.indexOf('=') + 1));
        var server = ServerProcess.launch(command, all, root.resolve("server" + servers.size()));
        servers.add(server);
        return server;
    }

    /** Starts a server and waits until it serves. */
    Api start() {
        url = launch().awaitReady();
        return api();
    }

    Api api() {
        return new Api(new TcpDoor(url));
    }

    Api socket() {
        return new Api(new SocketDoor(home().resolve("berth.sock")));
    }

    /** Where the server answers. */
    String url() {
        return url;
    }

    /** From now on servers listen where the last one did, as people's do. */
    World samePort() {
        port = url.substring(url.lastIndexOf(':') + 1);
        return this;
    }

    /** From now on servers listen where their files say. */
    World portOfFile() {
        port = "";
        return this;
    }

    /** The one started last. */
    ServerProcess server() {
        return servers.getLast();
    }

    void kill() {
        server().kill();
    }

    Api restart() {
        kill();
        return start();
    }

    /** What tasks started and what still lives of it. */
    List<Strays.Stray> strays() {
        return Strays.marked(
                mark, servers.stream().map(ServerProcess::pid).collect(Collectors.toSet()));
    }

    void awaitNoStrays() {
        try {
            eventually("nothing that a task started still lives", () -> strays().isEmpty());
        } catch (AssertionError e) {
            throw new AssertionError("still alive: " + strays(), e);
        }
    }

    boolean isOpen() {
        return OPEN.contains(this);
    }

    /** What happened here, for a person who reads of a failure. */
    String report() {
        return servers.stream()
                        .map(ServerProcess::shown)
                        .collect(Collectors.joining("\n", "\n", "\n"))
                + strays().stream()
                        .map(Strays.Stray::toString)
                        .collect(Collectors.joining("\n", "still alive:\n", ""));
    }

    private void endAll() {
        servers.stream().filter(ServerProcess::isAlive).forEach(ServerProcess::kill);
        strays().forEach(stray -> Strays.end(stray, mark));
    }

    @Override
    public void close() {
        OPEN.remove(this);
        // Whatever was started while we looked is found at the next look.
        eventually(
                "everything of this world has ended",
                () -> {
                    endAll();
                    return strays().isEmpty();
                });
        remove(root);
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
