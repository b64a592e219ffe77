package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.config.ConfigSources;
import dev.berth.config.Configuration;
import dev.berth.config.InvalidConfigException;
import dev.berth.core.model.Model;
import dev.berth.files.PathPermissions;
import dev.berth.node.gpu.GpuSource;
import dev.berth.node.linux.LocalAccounts;
import dev.berth.port.StoreFailure;
import dev.berth.server.ListenFailure;
import dev.berth.server.tls.UnusableTlsFiles;
import dev.berth.store.HomeRefused;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Runs the server in the foreground. */
final class ServeCommand implements CliCommand {

    static final CommandOption PORT =
            CommandOption.withValue(
                    "--port", "N", "listen on 127.0.0.1:N (29214; 0: any free port)");
    static final CommandOption HOST =
            CommandOption.withValue(
                    "--host", "ADDR", "127.0.0.1; other addresses only behind a proxy");
    static final CommandOption GPUS =
            CommandOption.withValue(
                    "--gpus", "WHICH", "auto, nvml, nvidia-smi, none or sim:COUNTxMIB[:NAME]");
    static final CommandOption AUTH =
            CommandOption.withValue(
                    "--auth", "HOW", "token, or none for programs of this user on this machine");
    static final CommandOption CONFIG =
            CommandOption.withValue("--config", "FILE", "the configuration file");

    static final CommandOption QUIET =
            CommandOption.flag("--quiet", "log to HOME/logs/berth.log only");

    static final CommandOption SYSTEM =
            CommandOption.flag(
                    "--system", "for all users: as root with the node, else the server alone");
    private static final CommandOption SOCKET =
            CommandOption.withValue(
                    "--socket", "PATH", "with --system: the socket (/run/berth/berth.sock)");
    private static final CommandOption NODE_CONFIG =
            CommandOption.withValue(
                    "--node-config",
                    "FILE",
                    "with --system: the node's file (/etc/berth/node.conf)");

    /** Only with {@link #SYSTEM}. */
    private static final List<CommandOption> SYSTEM_OPTIONS =
            List.of(NodeCommand.STATE, SOCKET, NodeCommand.USER, NODE_CONFIG);

    /** The options that {@code start} passes on. */
    static final List<CommandOption> OPTIONS = List.of(PORT, HOST, GPUS, AUTH, CONFIG);

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax("serve", "", "Run the server in the foreground", withQuiet());
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        options.expectNoArguments();
        if (options.has(SYSTEM) && PathPermissions.ofThisProcess().uid() == 0) {
            return new SystemServe(systemOptions(options, context), context).run();
        }
        requireSystem(options);
        var settings = settings(options, context);
        try (var server = ServerInstance.start(settings)) {
            context.out().println("ready " + server.url());
            context.out().flush();
            server.awaitStop();
            return 0;
        } catch (HomeRefused | ListenFailure | StoreFailure | UnusableTlsFiles refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }

    private static List<CommandOption> withQuiet() {
        var all = new ArrayList<>(OPTIONS);
        all.add(QUIET);
        all.add(SYSTEM);
        all.addAll(SYSTEM_OPTIONS);
        return all;
    }

    private static void requireSystem(ParsedOptions options) {
        for (var option : SYSTEM_OPTIONS) {
            if (options.has(option) && !options.has(SYSTEM)) {
                throw new UsageError(option.name() + " is for --system");
            }
        }
    }

    private static SystemServe.Options systemOptions(ParsedOptions options, CallContext context) {
        var paths = systemPaths(options, context);
        var arguments = new ArrayList<String>();
        for (var option : List.of(PORT, HOST, AUTH, CONFIG)) {
            options.values(option)
                    .forEach(value -> arguments.addAll(List.of(option.name(), value)));
        }
        arguments.addAll(List.of(NodeCommand.STATE.name(), paths.state().toString()));
        arguments.addAll(List.of(SOCKET.name(), paths.socket().toString()));
        var nodeConfig =
                Optional.ofNullable(options.value(NODE_CONFIG))
                        .map(context.cwd()::resolve)
                        .orElse(paths.nodeConfig());
        return new SystemServe.Options(
                new NodeStart.Request(
                        paths,
                        nodeConfig,
                        NodeCommand.gpus(options),
                        Optional.ofNullable(options.value(NodeCommand.USER)),
                        options.has(QUIET)),
                arguments);
    }

    private static SystemPaths systemPaths(ParsedOptions options, CallContext context) {
        return SystemPaths.of(
                Optional.ofNullable(options.value(NodeCommand.STATE)).map(context.cwd()::resolve),
                Optional.ofNullable(options.value(SOCKET)).map(context.cwd()::resolve));
    }

    /** The arguments that give another {@code berth serve} the same options. */
    static List<String> arguments(ParsedOptions options) {
        var descriptions = new ArrayList<String>();
        for (var option : OPTIONS) {
            options.values(option)
                    .forEach(value -> descriptions.addAll(List.of(option.name(), value)));
        }
        return descriptions;
    }

    /** Reports invalid arguments and an invalid configuration before anything starts. */
    static ServerSettings settings(ParsedOptions options, CallContext context) {
        var system =
                options.has(SYSTEM)
                        ? Optional.of(systemPaths(options, context))
                        : Optional.<SystemPaths>empty();
        var root =
                system.map(SystemPaths::home)
                        .orElseGet(
                                () ->
                                        ServerAddresses.homeForNewServer(
                                                options.value(CommandOption.HOME), context));
        var values = new TreeMap<String, String>();
        for (var option : List.of(HOST, PORT, AUTH)) {
            var value = options.value(option);
            if (value != null) {
                values.put(option.name().substring(2), value);
            }
        }
        var file =
                Optional.ofNullable(options.value(CONFIG))
                        .map(context.cwd()::resolve)
                        .or(() -> system.flatMap(SystemPaths::config));
        try {
            var given = new ConfigSources(root, file, context.env(), values);
            var layers = system.isPresent() ? given.withChangesInHome() : given;
            var config = Configuration.load(layers);
            var gpuSource = gpuSource(options.value(GPUS), config.gpus().probe());
            var models = models(config, root, system.isPresent());
            var settings =
                    new ServerSettings(
                            layers, config, gpuSource, options.has(QUIET), system, models);
            settings.home().requirePrivate();
            ConfiguredFiles.of(config, file).requireTrusted();
            return settings;
        } catch (HomeRefused refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        } catch (InvalidConfigException | IllegalArgumentException refused) {
            var why = String.valueOf(refused.getMessage());
            throw why.startsWith(ConfigSources.OPTION_SOURCE)
                    ? new UsageError(why)
                    : new CommandFailure(why);
        }
    }

    private static SortedMap<String, Model> models(
            Configuration config, Path root, boolean isSystem) {
        try (var accounts = new LocalAccounts()) {
            return ConfiguredModels.of(
                    config, root, isSystem ? Optional.of(accounts) : Optional.empty());
        }
    }

    private static GpuSource gpuSource(@Nullable String asked, String configured) {
        try {
            return GpuSource.parse(asked == null ? configured : asked);
        } catch (IllegalArgumentException wrong) {
            throw new UsageError(String.valueOf(wrong.getMessage()));
        }
    }
}
