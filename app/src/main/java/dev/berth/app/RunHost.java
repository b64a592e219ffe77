package dev.berth.app;

import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.command.Hosting;
import dev.berth.cli.link.Homes;
import dev.berth.node.linux.Child;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Gives a run its server, or a life of its own, by processes of this machine. */
final class RunHost implements Hosting {

    /** Another home's server may have the usual port, and nobody types this one's. */
    private static final List<String> ANY_PORT = List.of("BERTH_AUTO_PORT=true");

    @Override
    public void start(Options given, Surroundings around) throws IOException, InterruptedException {
        // A wrong configuration is told here, not in a log.
        var home = Serve.settings(given, around).home();
        try {
            var ready = Start.inBackground(home, List.of(), ANY_PORT, around);
            around.note("no server was up, so one was started for this: " + ready);
        } catch (Refused refused) {
            // Two that begin together find no server, and one of them gets the other's.
            if (Servers.at(home.root(), around).isEmpty()) {
                throw refused;
            }
        }
    }

    @Override
    public void stop(Options given, Surroundings around) throws IOException, InterruptedException {
        var running = Servers.at(home(given, around), around);
        if (running.isPresent()) {
            Stop.end(running.get(), around);
        }
    }

    @Override
    public Background launch(List<String> words, String name, Options given, Surroundings around)
            throws IOException {
        var command = new ArrayList<>(List.of("/usr/bin/env", "bash", Start.launcher()));
        command.addAll(words);
        var output = fresh(Home.makeLogs(home(given, around)), name);
        return new Launched(
                output,
                Spawner.ofThisMachine()
                        .spawn(new Spawner.Order(command, output, Optional.empty())));
    }

    private record Launched(Path output, Spawner.Spawned process) implements Background {
        @Override
        public boolean isAlive() throws IOException {
            return !process.isChild()
                    || Child.look(process.pid()).orElseThrow() instanceof Child.Status.Running;
        }
    }

    private static Path home(Options given, Surroundings around) {
        return Homes.chosen(given.value(Option.HOME), around);
    }

    /** Two within a second have a file each. */
    private static Path fresh(Path logs, String name) {
        var output = logs.resolve(name);
        for (int number = 2; Files.exists(output); number++) {
            output = logs.resolve(name.replaceFirst("\\.log$", "-" + number + ".log"));
        }
        return output;
    }
}
