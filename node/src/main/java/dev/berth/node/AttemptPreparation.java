package dev.berth.node;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.Cgroups;
import dev.berth.node.process.Proc;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.AttemptHeader;
import dev.berth.node.shim.CommandOwner;
import dev.berth.node.shim.ConnectedShim;
import dev.berth.node.shim.ShimParameters;
import dev.berth.node.shim.ShimProgram;
import dev.berth.node.shim.ShimScript;
import dev.berth.node.worker.WorkerPipes;
import dev.berth.port.Node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Writes the files of an attempt. Preparing starts nothing and gives no process the right to start.
 *
 * @param owner the account that the command runs as; empty if it is this process's own
 */
record AttemptPreparation(
        NodeContext context, AttemptDirectory directory, Optional<CommandOwner> owner) {

    /**
     * @param program that runs its shim
     * @param suitsSpare a shim that was started ahead can run it
     */
    record Prepared(ShimProgram program, boolean suitsSpare) {}

    /**
     * @param isSpare its directory was created ahead, with its files
     */
    Prepared prepare(Node.Launch launch, boolean isSpare) throws IOException {
        var problem = context.settings().commands().problem(context.userPaths());
        if (problem.isPresent()) {
            throw new MachineFaults.MachineFaultException(
                    MachineFault.Kind.MISSING_FILE, problem.get());
        }
        var id = launch.attempt().id();
        var script = launch.spec().script().text();
        var shim =
                new ShimParameters(
                        context.marker(id),
                        command(launch, script.command()),
                        Path.of(script.workDir()),
                        script.environment(),
                        launch.gpus().stream().map(Gpu::index).toList(),
                        owner,
                        failpoints(),
                        context.entersCgroupAtStart()
                                ? Optional.empty()
                                : context.createCgroup(id).map(Cgroups::procsFile),
                        launch.submission()
                                .map(
                                        submission ->
                                                new AttemptHeader(
                                                        launch.attempt(),
                                                        launch.spec(),
                                                        submission)));
        var program = context.script().program(context.nativeShim(), shim);
        directory.fill(context.script(), shim, program, isSpare);
        if (launch.attempt().isWorker()) {
            new WorkerPipes(directory.path()).create(owner.map(CommandOwner::uid));
        }
        // A time limit counts from the start of the process.
        boolean isLimited = launch.spec().options().timeLimit().isPresent();
        return new Prepared(program, program.isNative() && !isLimited && shim.suitsSpare());
    }

    /**
     * @param process empty if it has ended and the JDK has reaped it: a child of our own would
     *     still be a zombie
     */
    record StartedShim(long pid, Optional<ProcessKey> process, ShimConnection connection) {}

    /**
     * @param listener learns what happens to a shim that was started ahead
     */
    StartedShim start(AttemptId id, Prepared prepared, ConnectedShim.Listener listener)
            throws IOException {
        if (prepared.suitsSpare() && context.spareShims().isPresent()) {
            var spares = context.spareShims().get();
            var shim = spares.give(directory, listener);
            if (owner.isPresent()) {
                // Another process stores its end, and does not tell this one when.
                shim.hangUp();
            }
            return new StartedShim(
                    shim.process().pid(),
                    Optional.of(shim.process()),
                    ShimConnection.of(shim, spares));
        }
        var spawned = context.spawner().spawn(spawnRequest(id, prepared.program()));
        return new StartedShim(
                spawned.pid(), Proc.key(context.bootId(), spawned.pid()), ShimConnection.NONE);
    }

    private String command(Node.Launch launch, String command) {
        return launch.attempt().isWorker()
                ? new WorkerPipes(directory.path()).redirect(command)
                : command;
    }

    private Spawner.SpawnRequest spawnRequest(AttemptId id, ShimProgram program)
            throws IOException {
        return new Spawner.SpawnRequest(
                program.start(directory),
                directory.log(),
                Optional.of(directory.pendingExitRecord()),
                ShimScript.environment(owner),
                context.entersCgroupAtStart() ? context.createCgroup(id) : Optional.empty());
    }

    /**
     * Tests arm failpoints through the server's environment. Without the variable the shim has
     * none.
     */
    private static Optional<Path> failpoints() {
        return Optional.ofNullable(System.getenv("BERTH_FAILPOINTS")).map(Path::of);
    }
}
