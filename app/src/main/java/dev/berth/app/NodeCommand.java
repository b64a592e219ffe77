package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.files.PathPermissions;
import dev.berth.node.gpu.GpuSource;
import dev.berth.nodeprocess.InvalidNodeConfig;
import dev.berth.nodeprocess.NodeProcess;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Runs the node of a machine in the foreground, without the server. */
final class NodeCommand implements CliCommand {

    static final CommandOption STATE =
            CommandOption.withValue("--state", "DIR", "where its files are (/var/lib/berth)");
    static final CommandOption USER =
            CommandOption.withValue("--server-user", "NAME", "the account of the server (berth)");
    private static final CommandOption SOCKET =
            CommandOption.withValue(
                    "--socket", "PATH", "listen here for the server (/run/berth/node.sock)");
    private static final CommandOption CONFIG =
            CommandOption.withValue(
                    "--config", "FILE", "the node's configuration (/etc/berth/node.conf)");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "node",
                "",
                "Run the node of a machine in the foreground, as root",
                List.of(STATE, SOCKET, CONFIG, USER, ServeCommand.GPUS, ServeCommand.QUIET));
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        options.expectNoArguments();
        requireRoot();
        var state = Optional.ofNullable(options.value(STATE)).map(context.cwd()::resolve);
        var usual = SystemPaths.of(state, Optional.empty());
        var socket = Optional.ofNullable(options.value(SOCKET)).map(context.cwd()::resolve);
        var paths = socket.map(usual::withNodeSocket).orElse(usual);
        var config =
                Optional.ofNullable(options.value(CONFIG))
                        .map(context.cwd()::resolve)
                        .orElse(paths.nodeConfig());
        var request =
                new NodeStart.Request(
                        paths,
                        config,
                        gpus(options),
                        Optional.ofNullable(options.value(USER)),
                        options.has(ServeCommand.QUIET));
        try (var _ = NodeStart.start(request, Silent.LISTENER)) {
            context.out().println("listening " + paths.nodeSocket());
            context.out().flush();
            // Until a signal: the JVM ends without closing, and attempts go on.
            Thread.currentThread().join();
            return 0;
        } catch (InvalidNodeConfig refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }

    static void requireRoot() throws IOException {
        if (PathPermissions.ofThisProcess().uid() != 0) {
            throw new CommandFailure(
                    "The node starts tasks as their owners, so it runs as root: sudo berth node");
        }
    }

    static Optional<GpuSource> gpus(ParsedOptions options) {
        try {
            return Optional.ofNullable(options.value(ServeCommand.GPUS)).map(GpuSource::parse);
        } catch (IllegalArgumentException wrong) {
            throw new UsageError(String.valueOf(wrong.getMessage()));
        }
    }

    /** The server is another service; nobody here waits for it. */
    private enum Silent implements NodeProcess.Listener {
        LISTENER;

        @Override
        public void onListening(String url) {}

        @Override
        public void onConnected() {}

        @Override
        public void onDisconnected() {}
    }
}
