package dev.berth.app;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.node.linux.Child;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs the server in the background. */
final class Start implements Command {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final String READY = "ready ";

    @Override
    public Syntax syntax() {
        return new Syntax("start", "", "Run the server in the background", Serve.OPTIONS);
    }

    @Override
    public int run(Options given, Surroundings around) throws IOException, InterruptedException {
        given.expectNoArguments();
        // Wrong words are told here, not in a log.
        var home = Serve.settings(given, around).home();
        var running = Servers.at(home.root(), around);
        if (running.isPresent()) {
            around.out()
                    .println(
                            "Berth already runs with pid "
                                    + running.get().pid()
                                    + " at "
                                    + running.get().url());
            return 0;
        }
        around.out().println(inBackground(home, Serve.words(given), List.of(), around));
        return 0;
    }

    /**
     * Starts a server and waits until it serves.
     *
     * @param words for {@code serve}, besides its home
     * @param variables {@code K=V}, for this server only
     * @return the line with which it says so
     */
    static String inBackground(
            Home home, List<String> words, List<String> variables, Surroundings around)
            throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add("/usr/bin/env");
        command.addAll(variables);
        command.addAll(List.of("bash", launcher(), "serve"));
        command.addAll(List.of("--home", home.root().toString(), Serve.QUIET.name()));
        command.addAll(words);
        home.create();
        var log = home.logs().resolve("serve.out");
        Files.deleteIfExists(log);
        var child =
                Spawner.ofThisMachine().spawn(new Spawner.Order(command, log, Optional.empty()));
        return awaitReady(child, log, around);
    }

    /** The script that starts this program. */
    static String launcher() {
        var launcher = System.getProperty("berth.launcher");
        if (launcher == null) {
            throw new Refused("a background program is started by the launcher: run ./berth");
        }
        return launcher;
    }

    private static String awaitReady(Spawner.Spawned child, Path log, Surroundings around)
            throws IOException, InterruptedException {
        var end = around.time().now().plus(PATIENCE);
        while (around.time().now().isBefore(end)) {
            var text = Files.exists(log) ? Files.readString(log) : "";
            var ready = text.lines().filter(line -> line.startsWith(READY)).findFirst();
            if (ready.isPresent()) {
                return ready.get();
            }
            if (child.isChild()
                    && !(Child.look(child.pid()).orElseThrow() instanceof Child.Status.Running)) {
                throw new Refused("the server ended at once; it said:\n" + text.strip());
            }
            around.time().pause(PAUSE);
        }
        throw new Refused(
                "the server is not ready after " + PATIENCE.toSeconds() + " s; see " + log);
    }
}
