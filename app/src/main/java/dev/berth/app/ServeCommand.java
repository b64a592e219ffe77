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
import dev.berth.node.gpu.GpuSource;
import dev.berth.port.StoreFailure;
import dev.berth.server.ListenFailure;
import dev.berth.server.tls.UnusableTlsFiles;
import dev.berth.store.HomeRefused;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
        return all;
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
        var root = ServerAddresses.homeForNewServer(options.value(CommandOption.HOME), context);
        var values = new TreeMap<String, String>();
        for (var option : List.of(HOST, PORT, AUTH)) {
            var value = options.value(option);
            if (value != null) {
                values.put(option.name().substring(2), value);
            }
        }
        var file = Optional.ofNullable(options.value(CONFIG)).map(context.cwd()::resolve);
        try {
            var layers = new ConfigSources(root, file, context.env(), values);
            var config = Configuration.load(layers);
            var gpuSource = gpuSource(options.value(GPUS), config.gpus().probe());
            var settings = new ServerSettings(layers, config, gpuSource, options.has(QUIET));
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

    private static GpuSource gpuSource(@Nullable String asked, String configured) {
        try {
            return GpuSource.parse(asked == null ? configured : asked);
        } catch (IllegalArgumentException wrong) {
            throw new UsageError(String.valueOf(wrong.getMessage()));
        }
    }
}
