package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Signal;
import dev.berth.node.process.Liveness;
import dev.berth.node.process.Proc;
import dev.berth.node.process.Signals;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Stops the server; the tasks it started keep running. */
final class StopCommand implements CliCommand {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax("stop", "", "Stop the server; its tasks continue", List.of());
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        options.expectNoArguments();
        var home = ServerAddresses.personalHome(options, context);
        var running = ServerFinder.find(home, context);
        if (running.isEmpty()) {
            throw new CommandFailure("Berth is not running at " + home);
        }
        stopAndWait(running.get(), context);
        context.out().println("stopped pid " + running.get().pid() + "; running tasks continue");
        return 0;
    }

    /** Returns when the server has ended. */
    static void stopAndWait(ServerFinder.RunningServer running, CallContext context)
            throws IOException, InterruptedException {
        var server = Proc.key(Proc.bootId(), running.pid());
        if (server.isPresent()
                && new Signals(Pidfd.isSupported()).send(server.get(), Signal.TERM)) {
            awaitEnd(server.get(), context);
        }
    }

    private static void awaitEnd(ProcessKey server, CallContext context)
            throws InterruptedException {
        var end = context.clock().now().plus(TIMEOUT);
        while (Proc.liveness(server) == Liveness.ALIVE) {
            if (context.clock().now().isAfter(end)) {
                throw new CommandFailure(
                        "the server with pid "
                                + server.pid()
                                + " is still running after "
                                + TIMEOUT.toSeconds()
                                + " s");
            }
            context.clock().sleep(POLL_INTERVAL);
        }
    }
}
