package dev.berth.app;

import dev.berth.app.demo.DemoRun;
import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.config.ConfigSources;
import dev.berth.config.Configuration;
import dev.berth.config.InvalidConfigException;
import dev.berth.node.gpu.GpuSource;
import dev.berth.port.StoreFailure;
import dev.berth.server.ListenFailure;
import dev.berth.store.HomeRefused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Runs a server on simulated GPUs with sample tasks, in a temporary home. */
final class DemoCommand implements CliCommand {

    private static final GpuSource SIMULATED_GPUS = GpuSource.parse("lab:6x40960:Demo A100 40GB");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "demo",
                "",
                "Show Berth on simulated GPUs with sample tasks",
                List.of(ServeCommand.PORT));
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        options.expectNoArguments();
        var home = Files.createTempDirectory("berth-demo-");
        try (var server = ServerInstance.start(settings(home, options, context))) {
            var demo = DemoRun.start(server.socket(), home);
            context.out().println("ready " + server.url());
            context.out().flush();
            context.err()
                    .println(
                            "Open "
                                    + server.url()
                                    + " in a browser on this machine. Its GPUs are simulated, its"
                                    + " tasks are real processes.\nIn another terminal: berth"
                                    + " --home "
                                    + home
                                    + " ls\nCtrl-C ends the demo, its tasks, and removes "
                                    + home);
            context.err().flush();
            server.awaitStop(demo::stop, () -> DemoRun.removeHome(home));
            return 0;
        } catch (HomeRefused | ListenFailure | StoreFailure | InvalidConfigException refused) {
            DemoRun.removeHome(home);
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }

    private static ServerSettings settings(Path home, ParsedOptions options, CallContext context)
            throws InvalidConfigException {
        var values =
                new TreeMap<>(Map.of("auth", "none", "auto_port", "true", "runner", "detached"));
        values.put("work_dir", home.toString());
        values.put("gpu_left", "0");
        var port = options.value(ServeCommand.PORT);
        if (port != null) {
            values.put("port", port);
        }
        values.put("message_language", context.language());
        var layers = new ConfigSources(home, Optional.empty(), Map.of(), values);
        return new ServerSettings(layers, Configuration.load(layers), SIMULATED_GPUS, true);
    }
}
