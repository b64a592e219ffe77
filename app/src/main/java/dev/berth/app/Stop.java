package dev.berth.app;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Homes;
import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Signal;
import dev.berth.node.process.Liveness;
import dev.berth.node.process.Proc;
import dev.berth.node.process.Signals;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Ends the server; the tasks it started run on. */
final class Stop implements Command {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(10);

    @Override
    public Syntax syntax() {
        return new Syntax("stop", "", "Stop the server; its tasks run on", List.of());
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException, InterruptedException {
        given.expectNoArguments();
        var home = Homes.chosen(given.value(Option.HOME), around);
        var running = Servers.at(home, around);
        if (running.isEmpty()) {
            throw new Refused("Berth is not running at " + home);
        }
        end(running.get(), around);
        around.out().println("stopped pid " + running.get().pid() + "; running tasks go on");
        return 0;
    }

    /** Returns when it has ended. */
    static void end(Servers.Running running, Surroundings around)
            throws IOException, InterruptedException {
        var server = Proc.key(Proc.bootId(), running.pid());
        if (server.isPresent() && new Signals(Pidfd.supported()).send(server.get(), Signal.TERM)) {
            awaitEnd(server.get(), around);
        }
    }

    private static void awaitEnd(ProcessKey server, Surroundings around)
            throws InterruptedException {
        var end = around.time().now().plus(PATIENCE);
        while (Proc.liveness(server) == Liveness.ALIVE) {
            if (around.time().now().isAfter(end)) {
                throw new Refused(
                        "the server with pid "
                                + server.pid()
                                + " has not ended after "
                                + PATIENCE.toSeconds()
                                + " s");
            }
            around.time().pause(PAUSE);
        }
    }
}
