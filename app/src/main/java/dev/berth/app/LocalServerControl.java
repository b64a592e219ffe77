package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.cli.command.run.ServerControl;
import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Starts and stops a server, or a background process, for a run on this machine. */
final class LocalServerControl implements ServerControl {

    /**
     * The server of another home may use the default port, and users do not need this server's
     * port.
     */
    private static final List<String> ANY_PORT = List.of("BERTH_AUTO_PORT=true");

    @Override
    public void start(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        // Reports an invalid configuration here, not in a log.
        var home = ServeCommand.settings(options, context).home();
        try {
            var ready = StartCommand.inBackground(home, List.of(), ANY_PORT, context);
            context.printMessage("no server was running; one was started for this run: " + ready);
        } catch (CommandFailure refused) {
            // If two calls start at the same time, both find no server; the loser uses the server
            // of the winner.
            if (ServerFinder.find(home.root(), context).isEmpty()) {
                throw refused;
            }
        }
    }

    @Override
    public void stop(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        var running = ServerFinder.find(home(options, context), context);
        if (running.isPresent()) {
            StopCommand.stopAndWait(running.get(), context);
        }
    }

    @Override
    public BackgroundProcess launch(
            List<String> arguments, String name, ParsedOptions options, CallContext context)
            throws IOException {
        var command = new ArrayList<>(List.of("/usr/bin/env", "bash", StartCommand.launcher()));
        command.addAll(arguments);
        var output = unusedFile(HomePaths.createLogs(home(options, context)), name);
        return new Launched(
                output,
                Spawner.forThisHost()
                        .spawn(new Spawner.SpawnRequest(command, output, Optional.empty())));
    }

    private record Launched(Path output, Spawner.Spawned process) implements BackgroundProcess {
        @Override
        public boolean isAlive() throws IOException {
            return !process.isChild()
                    || ChildProcess.status(process.pid()).orElseThrow()
                            instanceof ChildProcess.Status.Running;
        }
    }

    private static Path home(ParsedOptions options, CallContext context) {
        return ServerAddresses.personalHome(options, context);
    }

    /** Two runs within a second get different files. */
    private static Path unusedFile(Path logs, String name) {
        var output = logs.resolve(name);
        for (int number = 2; Files.exists(output); number++) {
            output = logs.resolve(name.replaceFirst("\\.log$", "-" + number + ".log"));
        }
        return output;
    }
}
