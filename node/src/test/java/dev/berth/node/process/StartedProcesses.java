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

/** Processes that a test started. It ends them by their keys, and no others. */
final class StartedProcesses implements AutoCloseable {
    static final String BOOT = boot();

    private final Path directory;
    private final List<ProcessKey> processes = new ArrayList<>();
    private int count;

    StartedProcesses(Path directory) {
        this.directory = directory;
    }

    /** A bash in its own session, like a shim. */
    ProcessKey bash(String script) throws IOException {
        var log = directory.resolve("log" + count++);
        var words = List.of("/bin/bash", "-c", script);
        var spawned =
                Spawner.forThisHost().spawn(new Spawner.SpawnRequest(words, log, Optional.empty()));
        return own(spawned.pid());
    }

    /** The text that a script wrote into a file: {@code echo $! >NAME}. */
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

    /** Returns when every process started from now on has a later start tick than this one. */
    void awaitTickAfter(ProcessKey key) {
        // The start tick of a new process shows the present time.
        eventually("a tick later", () -> bash(":").startTick() > key.startTick());
    }

    static boolean isAlive(ProcessKey key) {
        return Proc.liveness(key) == Liveness.ALIVE;
    }

    /**
     * Waits until they are gone, so that the next test does not find a process that is still
     * ending.
     */
    @Override
    public void close() throws IOException {
        for (var process : processes) {
            new Signals(true).send(process, Signal.KILL);
        }
        for (var process : processes) {
            eventually("process " + process.pid() + " is gone", () -> !isAlive(process));
            dev.berth.node.linux.ChildProcess.reap(process.pid());
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
