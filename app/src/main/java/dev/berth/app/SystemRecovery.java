package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliVersion;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.config.ConfigSources;
import dev.berth.config.Configuration;
import dev.berth.config.InvalidConfigException;
import dev.berth.files.PathPermissions;
import dev.berth.node.LocalHomeTraces;
import dev.berth.nodeprocess.InvalidNodeConfig;
import dev.berth.nodeprocess.NodeConfig;
import dev.berth.nodesocket.client.RemoteNode;
import dev.berth.store.HomeLock;
import dev.berth.store.HomeRefused;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * {@code berth recover --system}. The database is in a directory of the server's account, so root
 * opens nothing there: it runs this command again as that account. What lives, and whose it is, the
 * node tells from its own files.
 */
record SystemRecovery(ParsedOptions options, CallContext context) {

    /** A node that runs answers at once. */
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

    int run() throws IOException, InterruptedException {
        var state = Optional.ofNullable(options.value(NodeCommand.STATE)).map(this::resolved);
        var paths = SystemPaths.of(state, Optional.empty());
        return PathPermissions.ofThisProcess().uid() == 0 ? runAsServer(paths) : recover(paths);
    }

    private Path resolved(String path) {
        return context.cwd().resolve(path);
    }

    private int runAsServer(SystemPaths paths) throws IOException, InterruptedException {
        var command = new ArrayList<>(ServerAccount.find(serverUser(paths)).asAccount());
        command.addAll(List.of("/bin/bash", StartCommand.launcher(), "recover"));
        command.addAll(
                List.of(
                        CommandOption.SYSTEM.name(),
                        NodeCommand.STATE.name(),
                        paths.state().toString()));
        for (var option : List.of(RecoverCommand.FROM, RecoverCommand.CONFIG)) {
            addPath(option, command);
        }
        if (options.has(RecoverCommand.DRY_RUN)) {
            command.add(RecoverCommand.DRY_RUN.name());
        }
        var builder = new ProcessBuilder(command).inheritIO().directory(Path.of("/").toFile());
        builder.environment().clear();
        builder.environment().putAll(ServerEnvironment.of(context.env(), paths.home()));
        return builder.start().waitFor();
    }

    private void addPath(CommandOption option, List<String> command) {
        var value = options.value(option);
        if (value != null) {
            command.addAll(List.of(option.name(), resolved(value).toString()));
        }
    }

    private String serverUser(SystemPaths paths) throws IOException {
        var named = options.value(NodeCommand.USER);
        try {
            return named == null
                    ? NodeConfig.read(paths.nodeConfig(), Optional.empty()).serverUser()
                    : named;
        } catch (InvalidNodeConfig refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }

    private int recover(SystemPaths paths) throws IOException {
        // The report says all of it.
        LogSetup.switchOff();
        var config = configuration(paths);
        var files = HomePaths.of(paths, config).files();
        try (var _ = HomeLock.take(files.root())) {
            if (config.slurm().isPresent()) {
                var traces = LocalHomeTraces.readForManyUsers(files.tasks());
                return RecoverCommand.run(
                        files, RecoverCommand.onCluster(traces), options, context);
            }
            try (var node = connect(paths)) {
                return RecoverCommand.run(files, node.traces(), options, context);
            }
        } catch (HomeRefused refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }

    private static RemoteNode connect(SystemPaths paths) {
        try {
            return RemoteNode.connect(
                    paths.nodeSocket(), "root", CliVersion.CURRENT, CONNECT_LIMIT);
        } catch (IOException away) {
            throw new CommandFailure(
                    "The node tells which tasks live, and it does not answer at %s. Start it: systemctl start berth-node, or sudo berth node"
                            .formatted(paths.nodeSocket()));
        }
    }

    private Configuration configuration(SystemPaths paths) {
        var file =
                Optional.ofNullable(options.value(RecoverCommand.CONFIG))
                        .map(this::resolved)
                        .or(paths::config);
        try {
            return Configuration.load(
                    new ConfigSources(paths.home(), file, context.env(), new TreeMap<>())
                            .withChangesInHome());
        } catch (InvalidConfigException refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }
}
