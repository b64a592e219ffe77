package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Signal;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.SearchPath;
import dev.berth.node.process.Signals;
import dev.berth.port.read.Accounts.Account;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Runs real shims in a directory of a test. */
final class ShimFixture implements AutoCloseable {
    private final Path root;
    private final ShimScript script;
    private final Optional<NativeShim> nativeShim;
    private final ExitWatcher watcher;
    private final Optional<SpareShims> spares;
    private final Optional<SpareShims> sparesForOwners;
    private final Set<AttemptDirectory> suitsSpare = new HashSet<>();
    private long next = 1;

    ShimFixture(Path root, ShimChoice choice) throws IOException {
        this(root, choice == ShimChoice.BASH ? ShimKind.BASH : ShimKind.NATIVE);
    }

    ShimFixture(Path root, ShimKind kind) throws IOException {
        var choice = kind.choice();
        this.root = root;
        nativeShim = NativeShim.open(ShimChoices.require(choice), Spawner.forThisHost());
        script =
                new ShimScript(
                        ShimTools.find(SearchPath.of(System.getenv())),
                        "0022",
                        CommandSettings.NONE);
        watcher = ExitWatcher.start();
        spares =
                nativeShim
                        .filter(_ -> kind == ShimKind.SPARE)
                        .map(shim -> SpareShims.start(terms(shim), script));
        sparesForOwners =
                nativeShim
                        .filter(_ -> kind == ShimKind.SPARE)
                        .map(shim -> SpareShims.startForOwners(terms(shim)));
    }

    private SpareShims.Terms terms(NativeShim shim) {
        return new SpareShims.Terms(
                shim,
                Spawner.forThisHost(),
                watcher,
                root.resolve("tasks"),
                Duration.ofMillis(100));
    }

    /** A simple order for one GPU, in the test's directory. */
    ShimParameters order(String command) {
        return new ShimParameters(
                new Marker("h", next + ".1"),
                command,
                root,
                new TreeMap<>(),
                List.of(0),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    ShimParameters with(ShimParameters plain, Map<String, String> environment) {
        return new ShimParameters(
                plain.marker(),
                plain.command(),
                plain.workDir(),
                new TreeMap<>(environment),
                plain.gpuIndices(),
                plain.owner(),
                plain.failpoints(),
                plain.cgroupProcsFile());
    }

    AttemptDirectory prepare(ShimParameters order) throws IOException {
        var directory =
                AttemptDirectory.of(root.resolve("tasks"), new AttemptId(new TaskId(next++), 1));
        directory.prepare(script, order, program(order));
        if (order.suitsSpare()) {
            suitsSpare.add(directory);
        }
        return directory;
    }

    private ShimProgram program(ShimParameters order) {
        return script.program(nativeShim, order);
    }

    /** Bash if the output of its command is copied. */
    private ShimProgram program(AttemptDirectory directory) throws IOException {
        boolean isCopied = Files.readString(directory.runScript()).contains("\nberth_cat='/");
        return isCopied || nativeShim.isEmpty()
                ? script.bash()
                : new ShimProgram(nativeShim.get().program(), true);
    }

    /** The program of all shims as a file, for a process that cannot execute our memory. */
    Path programFile() throws IOException {
        if (nativeShim.isEmpty()) {
            return script.bash().path();
        }
        var file = root.resolve("shim");
        if (Files.notExists(file)) {
            Files.copy(nativeShim.get().program(), file);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return file;
    }

    /** How a shim ends whose command ended with this code and left no process. */
    ExitWatcher.ProcessEnd endOf(int code) {
        return nativeShim.isPresent()
                ? NativeShim.ALL_GONE
                : new ExitWatcher.ProcessEnd.Exited(code);
    }

    RunningShim start(AttemptDirectory directory) throws IOException {
        return start(directory, Optional.of(directory.pendingExitRecord()));
    }

    /**
     * The same for a command that runs as an account of this test alone, which may enter the test's
     * directory. Needs root.
     */
    ShimParameters ownedBy(int uid, ShimParameters plain) throws IOException {
        return ownedBy(
                new Account("owner", uid, uid, root, Path.of("/bin/bash"), List.of(uid), List.of()),
                plain);
    }

    ShimParameters ownedBy(Account account, ShimParameters plain) throws IOException {
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new ShimParameters(
                plain.marker(),
                plain.command(),
                plain.workDir(),
                plain.environment(),
                plain.gpuIndices(),
                Optional.of(new CommandOwner(account, Optional.empty())),
                plain.failpoints(),
                plain.cgroupProcsFile());
    }

    /**
     * Runs a command of an owner.
     *
     * @param prefix in front of the shim's command line
     */
    EndedShim runOwned(ShimParameters order, List<String> prefix)
            throws IOException, InterruptedException {
        var directory = prepare(order);
        if (sparesForOwners.isPresent() && prefix.isEmpty()) {
            try (var running = watch(directory, startSpare(sparesForOwners.get(), directory))) {
                return running.await();
            }
        }
        var command = new ArrayList<>(prefix);
        command.addAll(new ShimProgram(programFile(), false).start(directory));
        var request =
                new Spawner.SpawnRequest(
                        command,
                        directory.log(),
                        Optional.of(directory.pendingExitRecord()),
                        ShimScript.environment(order.owner()),
                        Optional.empty());
        try (var running = watch(directory, Spawner.forThisHost().spawn(request))) {
            return running.await();
        }
    }

    /** Like a spawner that cannot open the record. */
    RunningShim startWithoutRecord(AttemptDirectory directory) throws IOException {
        return start(directory, Optional.empty());
    }

    /** Ends its connection, as if this process had been killed. */
    private static Spawner.Spawned startSpare(SpareShims spares, AttemptDirectory directory)
            throws IOException {
        var shim = spares.give(directory, new ShimEvents());
        shim.hangUp();
        return new Spawner.Spawned(shim.process().pid(), true);
    }

    private RunningShim start(AttemptDirectory directory, Optional<Path> record)
            throws IOException {
        if (spares.isPresent() && suitsSpare.contains(directory)) {
            return watch(directory, startSpare(spares.get(), directory));
        }
        var spawned =
                Spawner.forThisHost()
                        .spawn(
                                new Spawner.SpawnRequest(
                                        program(directory).start(directory),
                                        directory.log(),
                                        record));
        return watch(directory, spawned);
    }

    private RunningShim watch(AttemptDirectory directory, Spawner.Spawned spawned)
            throws IOException {
        var key = Proc.key(Proc.bootId(), spawned.pid()).orElseThrow();
        var ends = new LinkedBlockingQueue<ExitWatcher.ProcessEnd>();
        return new RunningShim(directory, key, ends, watcher.watch(key, ends::add));
    }

    EndedShim run(String command) throws IOException, InterruptedException {
        return run(order(command));
    }

    EndedShim run(ShimParameters order) throws IOException, InterruptedException {
        return run(prepare(order));
    }

    EndedShim run(AttemptDirectory directory) throws IOException, InterruptedException {
        try (var running = start(directory)) {
            return running.await();
        }
    }

    /** With variables in the environment that the shim inherits. */
    EndedShim runInherited(ShimParameters order, Map<String, String> inherited)
            throws IOException, InterruptedException {
        var directory = prepare(order);
        // The record is open as descriptor 48, like a spawner leaves it.
        var command = new ArrayList<>(List.of("/bin/bash", "-c", "exec 48<>\"$0\" \"$@\""));
        command.add(directory.pendingExitRecord().toString());
        command.add("/usr/bin/env");
        inherited.forEach((name, value) -> command.add(name + "=" + value));
        command.addAll(new ShimProgram(programFile(), false).start(directory));
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.log().toFile())
                        .start();
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("the shim has ended").isTrue();
        var log = new String(Files.readAllBytes(directory.log()), StandardCharsets.UTF_8);
        return new EndedShim(directory, new ExitWatcher.ProcessEnd.Unknown(), log);
    }

    @Override
    public void close() throws IOException {
        spares.ifPresent(SpareShims::close);
        sparesForOwners.ifPresent(SpareShims::close);
        watcher.close();
        if (nativeShim.isPresent()) {
            nativeShim.get().close();
        }
    }

    record RunningShim(
            AttemptDirectory directory,
            ProcessKey shim,
            BlockingQueue<ExitWatcher.ProcessEnd> ends,
            ExitWatcher.Watch watch)
            implements AutoCloseable {

        EndedShim await() throws IOException, InterruptedException {
            var end = ends.poll(3, TimeUnit.MINUTES);
            assertThat(end).as("the shim has ended").isNotNull();
            var log = new String(Files.readAllBytes(directory.log()), StandardCharsets.UTF_8);
            return new EndedShim(directory, end, log);
        }

        void kill() throws IOException {
            new Signals(true).send(shim, Signal.KILL);
        }

        @Override
        public void close() throws IOException {
            kill();
            watch.close();
        }
    }

    record EndedShim(AttemptDirectory directory, ExitWatcher.ProcessEnd end, String log) {

        int code() throws IOException {
            assertThat(ExitRecord.read(directory)).isInstanceOf(ExitRecord.Code.class);
            return ((ExitRecord.Code) ExitRecord.read(directory)).code();
        }

        /** The output of the command itself, between the banners. */
        List<String> output() {
            var lines = log.lines().toList();
            var from = lines.indexOf("===== Command Script Start =====") + 4;
            var to = lines.indexOf("===== Command Script Exit =====");
            return lines.subList(from, to);
        }
    }
}
