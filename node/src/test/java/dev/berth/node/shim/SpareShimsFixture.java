package dev.berth.node.shim;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.SearchPath;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Spares of a test, and attempts for them. */
abstract class SpareShimsFixture {
    @TempDir Path root;

    NativeShim shim;

    ShimScript script;

    ExitWatcher watcher;

    SpareShims spares;

    final ShimEvents events = new ShimEvents();

    final RefusingSpawner spawner = new RefusingSpawner();

    /** Starts no process, or each with more variables, as a test sets it. */
    static final class RefusingSpawner implements Spawner {
        private final Spawner real = Spawner.forThisHost();
        volatile boolean isRefusing;
        volatile List<String> variables = List.of();

        /** So many processes are stopped when they start. */
        final AtomicInteger stopped = new AtomicInteger();

        /** In front of each command. */
        volatile List<String> prefix = List.of();

        @Override
        public Spawned spawn(SpawnRequest order) throws IOException {
            if (isRefusing) {
                throw new IOException("no process");
            }
            var spawned = real.spawn(changed(order));
            if (stopped.get() > 0) {
                signal(spawned.pid(), "STOP");
                stopped.decrementAndGet();
            }
            return spawned;
        }

        private SpawnRequest changed(SpawnRequest order) {
            var command = new ArrayList<>(prefix);
            command.addAll(order.command());
            return new SpawnRequest(
                    command,
                    order.log(),
                    order.exitRecord(),
                    variables.isEmpty() ? order.environment() : Optional.of(environment()),
                    order.cgroup(),
                    order.input());
        }

        private List<String> environment() {
            var environment = new ArrayList<>(variables);
            var names = variables.stream().map(one -> one.split("=", 2)[0]).toList();
            System.getenv().entrySet().stream()
                    .filter(one -> !names.contains(one.getKey()))
                    .forEach(one -> environment.add(one.getKey() + "=" + one.getValue()));
            return environment;
        }

        @Override
        public boolean opensExitRecord() {
            return real.opensExitRecord();
        }

        @Override
        public boolean entersCgroups() {
            return real.entersCgroups();
        }
    }

    @BeforeEach
    void start() throws IOException {
        ShimChoices.require(ShimChoice.NATIVE);
        shim = NativeShim.open(ShimChoice.NATIVE, Spawner.forThisHost()).orElseThrow();
        var tools = ShimTools.find(SearchPath.of(System.getenv()));
        script = new ShimScript(tools, "0022", CommandSettings.NONE);
        watcher = ExitWatcher.start();
        startSpares();
        for (var spare : spareProcesses()) {
            awaitCopy(spare);
        }
    }

    SpareShims.Terms terms() {
        return new SpareShims.Terms(
                shim, spawner, watcher, root.resolve("tasks"), Duration.ofMillis(200));
    }

    void startSpares() {
        spares = SpareShims.start(terms(), script);
        eventually("spares are there", () -> spareProcesses().size() == 2);
    }

    void restartSparesWith(String... variables) {
        spares.close();
        spawner.variables = List.of(variables);
        startSpares();
    }

    @AfterEach
    void close() throws IOException {
        if (spares != null) {
            spares.close();
            watcher.close();
            shim.close();
        }
    }

    boolean isTakenBack(ConnectedShim shim) {
        shim.forgetAttempt();
        return spares.takeBack(shim);
    }

    /** The process that waits for the next attempt of a spare. */
    static long awaitCopy(long spare) {
        eventually("it has a copy", () -> children(spare).size() == 1);
        return children(spare).getFirst();
    }

    AttemptDirectory prepare(long task, String command) throws IOException {
        return prepare(task, command, Optional.empty());
    }

    AttemptDirectory prepare(long task, String command, Optional<Path> failpoints)
            throws IOException {
        return prepare(parameters(task, command, new TreeMap<>(), failpoints));
    }

    AttemptDirectory attempt(long task) {
        return AttemptDirectory.of(root.resolve("tasks"), new AttemptId(new TaskId(task), 1));
    }

    AttemptDirectory prepare(ShimParameters parameters) throws IOException {
        var id = AttemptId.parse(parameters.marker().attempt());
        var directory = attempt(id.task().value());
        directory.prepare(script, parameters, script.program(Optional.of(shim), parameters));
        return directory;
    }

    ShimParameters parameters(
            long task,
            String command,
            SortedMap<String, String> environment,
            Optional<Path> failpoints) {
        return new ShimParameters(
                new Marker("h", task + ".1"),
                command,
                root,
                environment,
                List.of(),
                Optional.empty(),
                failpoints,
                Optional.empty());
    }

    List<Long> spareProcesses() throws IOException {
        var processes = new ArrayList<Long>();
        for (var spare : children(ProcessHandle.current().pid())) {
            if (isSpare(spare)) {
                processes.add(spare);
            }
        }
        return processes;
    }

    boolean isSpare(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline")).contains("\0-s\0" + root);
        } catch (IOException gone) {
            return false;
        }
    }

    static List<Long> children(long parent) {
        return ProcessHandle.of(parent).stream()
                .flatMap(ProcessHandle::children)
                .map(ProcessHandle::pid)
                .toList();
    }

    static boolean isAlive(long pid) {
        try {
            return Proc.stat(pid).filter(stat -> stat.isAlive()).isPresent();
        } catch (IOException gone) {
            return false;
        }
    }

    /**
     * @param name TERM, for example
     */
    static void signal(long pid, String name) throws IOException {
        var kill = new ProcessBuilder("/bin/bash", "-c", "kill -" + name + " " + pid).start();
        assertThat(kill.onExit().join().exitValue()).isZero();
    }

    static void kill(long pid) throws IOException {
        signal(pid, "KILL");
        eventually("it has ended", () -> !isAlive(pid));
    }
}
