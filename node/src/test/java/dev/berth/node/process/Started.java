package dev.berth.node.process;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Signal;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Processes that a test started and ends, by their keys and no others. */
final class Started implements AutoCloseable {
    static final String BOOT = boot();

    private final Path directory;
    private final List<ProcessKey> processes = new ArrayList<>();
    private int count;

    Started(Path directory) {
        this.directory = directory;
    }

    /** A bash in a session of its own, which is what a shim is. */
    ProcessKey bash(String script) throws IOException {
        var log = directory.resolve("log" + count++);
        var words = List.of("/bin/bash", "-c", script);
        var spawned =
                Spawner.ofThisMachine().spawn(new Spawner.Order(words, log, Optional.empty()));
        return own(spawned.pid());
    }

    /** What a script wrote into a file: {@code echo $! >NAME}. */
    ProcessKey named(String name) {
        var pid =
                present(
                        "a pid in " + name,
                        () -> {
                            var file = directory.resolve(name);
                            return Files.exists(file) && Files.readString(file).endsWith("\n")
                                    ? Optional.of(Long.parseLong(Files.readString(file).strip()))
                                    : Optional.empty();
                        });
        return own(pid);
    }

    private ProcessKey own(long pid) {
        try {
            var key =
                    Proc.key(BOOT, pid).orElseThrow(() -> new AssertionError("no process " + pid));
            processes.add(key);
            return key;
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Returns when whatever starts from now on has a later start tick than this one. */
    void awaitTickAfter(ProcessKey key) {
        // A process knows its own start tick: the youngest one there is tells the time.
        eventually("a tick later", () -> bash(":").startTick() > key.startTick());
    }

    static boolean isAlive(ProcessKey key) {
        return Proc.liveness(key) == Liveness.ALIVE;
    }

    /** Returns when they are gone, so that the next test does not find one that is still ending. */
    @Override
    public void close() throws IOException {
        for (var process : processes) {
            new Signals(true).send(process, Signal.KILL);
        }
        for (var process : processes) {
            eventually("process " + process.pid() + " is gone", () -> !isAlive(process));
            dev.berth.node.linux.Child.reap(process.pid());
        }
    }

    private static String boot() {
        try {
            return Proc.bootId();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }
}
