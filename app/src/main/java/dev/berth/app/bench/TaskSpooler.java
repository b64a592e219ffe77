package dev.berth.app.bench;

import dev.berth.cli.call.CommandFailure;
import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.SearchPath;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * task-spooler ({@code tsp}), for comparison: a queue in memory that loses everything in a crash. A
 * submit is a call of its program, because it has no other interface.
 */
final class TaskSpooler implements AutoCloseable {

    private static final Path BASH = Path.of("/bin/bash");

    private final Spawner spawner = Spawner.forThisHost();
    private final Path program;
    private final Path directory;

    private TaskSpooler(Path program, Path directory) {
        this.program = program;
        this.directory = directory;
    }

    /**
     * @param directory for its socket and the output of its tasks
     */
    static TaskSpooler start(Path directory) throws IOException {
        var program =
                SearchPath.SYSTEM
                        .find("tsp")
                        .orElseThrow(
                                () ->
                                        new CommandFailure(
                                                "no program tsp (Debian: apt install"
                                                        + " task-spooler)"));
        return new TaskSpooler(program, Files.createDirectory(directory));
    }

    /** How many tasks run at the same time. */
    void setSlots(int slots) throws IOException {
        call(List.of("-S", Integer.toString(slots)));
    }

    void submit(String command) throws IOException {
        call(List.of(BASH.toString(), "-c", command));
    }

    /** Returns when the task that was submitted last has ended. */
    void awaitLast() throws IOException {
        call(List.of("-w"));
    }

    /**
     * @return tasks per second
     */
    double throughput(int callers, int tasks) throws IOException {
        long begin = System.nanoTime();
        try (var threads = Executors.newFixedThreadPool(callers)) {
            var shares = new ArrayList<Future<?>>();
            for (int caller = 0; caller < callers; caller++) {
                int share = tasks / callers;
                shares.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < share; i++) {
                                        submit("true");
                                    }
                                    return null;
                                }));
            }
            for (var share : shares) {
                share.get();
            }
        } catch (InterruptedException | ExecutionException failure) {
            throw new IllegalStateException("the throughput run failed", failure);
        }
        awaitLast();
        return tasks / ((System.nanoTime() - begin) / 1e9);
    }

    private void call(List<String> arguments) throws IOException {
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        var variables =
                List.of(
                        "PATH=/usr/bin:/bin",
                        "HOME=" + directory,
                        "TMPDIR=" + directory,
                        "TS_MAXFINISHED=10",
                        "TS_SOCKET=" + directory.resolve("socket"));
        var _ =
                ChildProcess.await(
                        spawner.spawn(
                                        new Spawner.SpawnRequest(
                                                command,
                                                directory.resolve("calls"),
                                                Optional.empty(),
                                                Optional.of(variables),
                                                Optional.empty()))
                                .pid());
    }

    @Override
    public void close() throws IOException {
        call(List.of("-K"));
    }
}
