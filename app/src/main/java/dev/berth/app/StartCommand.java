package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.cli.text.FailureText;
import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Starts the server in the background. */
final class StartCommand implements CliCommand {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final String READY = "ready ";

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "start", "", "Run the server in the background", ServeCommand.OPTIONS);
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        options.expectNoArguments();
        var _ = ServerAddresses.personalHome(options, context);
        // Reports invalid arguments here, not in a log.
        var settings = ServeCommand.settings(options, context);
        var home = settings.home();
        var running = ServerFinder.find(home.root(), context);
        if (running.isPresent()) {
            context.out()
                    .println(
                            "Berth already runs with pid "
                                    + running.get().pid()
                                    + " at "
                                    + running.get().url());
            return 0;
        }
        settings.config().warnings().forEach(context::printMessage);
        context.out()
                .println(inBackground(home, ServeCommand.arguments(options), List.of(), context));
        return 0;
    }

    /**
     * Starts a server and waits until it is ready.
     *
     * @param words arguments for {@code serve}, besides its home
     * @param variables {@code K=V}, for this server only
     * @return the line that it prints when it is ready
     */
    static String inBackground(
            HomePaths home, List<String> words, List<String> variables, CallContext context)
            throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add("/usr/bin/env");
        command.addAll(variables);
        command.addAll(List.of("bash", launcher(), "serve"));
        command.addAll(List.of("--home", home.root().toString(), ServeCommand.QUIET.name()));
        command.addAll(words);
        create(home);
        var log = home.logs().resolve("serve.out");
        Files.deleteIfExists(log);
        var child =
                Spawner.forThisHost()
                        .spawn(new Spawner.SpawnRequest(command, log, Optional.empty()));
        return awaitReady(child, log, context);
    }

    private static void create(HomePaths home) {
        try {
            home.create();
        } catch (IOException failed) {
            throw new CommandFailure(
                    "The home %s cannot be used: %s. Choose another home with --home"
                            .formatted(home.root(), FailureText.of(failed)));
        }
    }

    /** The script that starts this program. */
    static String launcher() {
        var launcher = System.getProperty("berth.launcher");
        if (launcher == null) {
            throw new CommandFailure("background programs need the launcher: run ./berth");
        }
        return launcher;
    }

    private static String awaitReady(Spawner.Spawned child, Path log, CallContext context)
            throws IOException, InterruptedException {
        var end = context.clock().now().plus(TIMEOUT);
        while (context.clock().now().isBefore(end)) {
            var text = Files.exists(log) ? Files.readString(log) : "";
            var ready = text.lines().filter(line -> line.startsWith(READY)).findFirst();
            if (ready.isPresent()) {
                return ready.get();
            }
            if (child.isChild()
                    && !(ChildProcess.status(child.pid()).orElseThrow()
                            instanceof ChildProcess.Status.Running)) {
                throw new CommandFailure(
                        "the server ended immediately; its output:\n" + text.strip());
            }
            context.clock().sleep(POLL_INTERVAL);
        }
        throw new CommandFailure(
                "the server is not ready after " + TIMEOUT.toSeconds() + " s; see " + log);
    }
}
