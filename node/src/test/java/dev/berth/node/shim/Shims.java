package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.TaskId;
import dev.berth.node.linux.Signal;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.SearchPath;
import dev.berth.node.process.Signals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Runs real shims in a directory of a test. */
final class Shims implements AutoCloseable {
    private final Path root;
    private final ShimScript script;
    private final ExitWatcher watcher;
    private long next = 1;

    Shims(Path root) throws IOException {
        this.root = root;
        script =
                new ShimScript(
                        Tools.find(SearchPath.of(System.getenv())), "0022", CommandSettings.NONE);
        watcher = ExitWatcher.start();
    }

    /** A plain order for one card, in the test's directory. */
    ShimOrder order(String command) {
        return new ShimOrder(
                new Marker("h", next + ".1"),
                command,
                root,
                new TreeMap<>(),
                List.of(0),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    ShimOrder with(ShimOrder plain, Map<String, String> environment) {
        return new ShimOrder(
                plain.marker(),
                plain.command(),
                plain.workDir(),
                new TreeMap<>(environment),
                plain.cards(),
                plain.runAs(),
                plain.failpoints(),
                plain.cgroupEntrance());
    }

    AttemptDirectory prepare(ShimOrder order) throws IOException {
        var directory =
                AttemptDirectory.of(root.resolve("tasks"), new AttemptId(new TaskId(next++), 1));
        directory.prepare(script, order);
        return directory;
    }

    Running start(AttemptDirectory directory) throws IOException {
        return start(directory, Optional.of(directory.pendingRecord()));
    }

    /** As a spawner does that cannot open the record. */
    Running startWithoutRecord(AttemptDirectory directory) throws IOException {
        return start(directory, Optional.empty());
    }

    private Running start(AttemptDirectory directory, Optional<Path> record) throws IOException {
        var spawned =
                Spawner.ofThisMachine()
                        .spawn(new Spawner.Order(script.start(directory), directory.log(), record));
        var key = Proc.key(Proc.bootId(), spawned.pid()).orElseThrow();
        var ends = new LinkedBlockingQueue<ExitWatcher.End>();
        return new Running(directory, key, ends, watcher.watch(key, ends::add));
    }

    Ran run(String command) throws IOException, InterruptedException {
        return run(order(command));
    }

    Ran run(ShimOrder order) throws IOException, InterruptedException {
        try (var running = start(prepare(order))) {
            return running.await();
        }
    }

    @Override
    public void close() throws IOException {
        watcher.close();
    }

    /** A shim that was started. */
    record Running(
            AttemptDirectory directory,
            ProcessKey shim,
            BlockingQueue<ExitWatcher.End> ends,
            ExitWatcher.Watch watch)
            implements AutoCloseable {

        Ran await() throws IOException, InterruptedException {
            var end = ends.poll(30, TimeUnit.SECONDS);
            assertThat(end).as("the shim has ended").isNotNull();
            var log = new String(Files.readAllBytes(directory.log()), StandardCharsets.UTF_8);
            return new Ran(directory, end, log);
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

    /** A shim that has ended. */
    record Ran(AttemptDirectory directory, ExitWatcher.End end, String log) {

        int code() throws IOException {
            assertThat(ExitRecord.read(directory)).isInstanceOf(ExitRecord.Code.class);
            return ((ExitRecord.Code) ExitRecord.read(directory)).code();
        }

        /** What the command itself printed: what stands between the banners. */
        List<String> output() {
            var lines = log.lines().toList();
            var from = lines.indexOf("===== Command Script Start =====") + 4;
            var to = lines.indexOf("===== Command Script Exit =====");
            return lines.subList(from, to);
        }
    }
}
