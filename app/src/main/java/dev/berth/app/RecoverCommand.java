package dev.berth.app;

import dev.berth.app.recover.HomeFiles;
import dev.berth.app.recover.HomeRecovery;
import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.cli.text.SafeText;
import dev.berth.config.ConfigSources;
import dev.berth.config.Configuration;
import dev.berth.config.InvalidConfigException;
import dev.berth.node.LocalHomeTraces;
import dev.berth.port.StoreFailure;
import dev.berth.port.recover.HomeTraces;
import dev.berth.store.HomeLock;
import dev.berth.store.HomeRefused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Brings the database of a home in line with what runs and what its directories tell. */
final class RecoverCommand implements CliCommand {

    static final CommandOption CONFIG =
            CommandOption.withValue("--config", "FILE", "the configuration file");
    static final CommandOption FROM =
            CommandOption.withValue(
                    "--from", "BACKUP", "start from this copy; the present database is kept");
    static final CommandOption DRY_RUN =
            CommandOption.flag("--dry-run", "only print what would be done");

    private static final List<CommandOption> SYSTEM_OPTIONS =
            List.of(NodeCommand.STATE, NodeCommand.USER);

    @Override
    public CommandSyntax syntax() {
        var options = new ArrayList<>(List.of(FROM, DRY_RUN, CONFIG));
        options.addAll(SYSTEM_OPTIONS);
        return new CommandSyntax(
                "recover",
                "",
                "Recover a home whose database is missing, older or damaged",
                options);
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        options.expectNoArguments();
        if (options.has(CommandOption.SYSTEM)) {
            return new SystemRecovery(options, context).run();
        }
        for (var option : SYSTEM_OPTIONS) {
            if (options.has(option)) {
                throw new UsageError(option.name() + " is for --system");
            }
        }
        var home = ServerAddresses.personalHome(options, context);
        if (!Files.isDirectory(home)) {
            throw new CommandFailure("The home " + home + " does not exist.");
        }
        if (Files.isDirectory(home.resolveSibling("node").resolve("tasks"))) {
            throw new CommandFailure(
                    home
                            + " belongs to a server of the machine: sudo berth recover --system"
                            + " --state "
                            + home.getParent());
        }
        var config = configuration(options, context, home);
        var files = HomeFiles.of(home, config);
        try (var _ = HomeLock.take(files.root());
                var _ = lockRuntime(files)) {
            Files.createDirectories(files.tasks());
            var found = LocalHomeTraces.read(files.tasks());
            var traces = config.slurm().isPresent() ? onCluster(found) : found;
            return run(files, traces, options, context);
        } catch (HomeRefused refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }

    /** What may run on other hosts is adopted as if it runs. */
    static HomeTraces onCluster(LocalHomeTraces found) {
        try {
            return found.onCluster();
        } catch (StoreFailure unreadable) {
            throw new CommandFailure(String.valueOf(unreadable.getMessage()));
        }
    }

    /** The caller holds the lock of the home. */
    static int run(HomeFiles files, HomeTraces traces, ParsedOptions options, CallContext context)
            throws IOException {
        var backup = Optional.ofNullable(options.value(FROM)).map(context.cwd()::resolve);
        var start = options.has(CommandOption.SYSTEM) ? "systemctl start berth" : "berth start";
        try {
            var report = new HomeRecovery(files, traces, backup, options.has(DRY_RUN), start).run();
            report.lines().forEach(line -> context.out().println(SafeText.line(line)));
            return report.isComplete() ? 0 : 1;
        } catch (HomeRefused | StoreFailure refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }

    /** The task directories may be outside of the home; then they have a lock of their own. */
    private static AutoCloseableLock lockRuntime(HomeFiles files) throws HomeRefused {
        boolean isInside = files.runtime().startsWith(files.root().toAbsolutePath().normalize());
        return new AutoCloseableLock(
                isInside ? Optional.empty() : Optional.of(HomeLock.take(files.runtime())));
    }

    private record AutoCloseableLock(Optional<HomeLock> lock) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            if (lock.isPresent()) {
                lock.get().close();
            }
        }
    }

    private static Configuration configuration(
            ParsedOptions options, CallContext context, Path home) {
        var file = Optional.ofNullable(options.value(CONFIG)).map(context.cwd()::resolve);
        try {
            return Configuration.load(
                    new ConfigSources(home, file, context.env(), new TreeMap<>()));
        } catch (InvalidConfigException refused) {
            throw new CommandFailure(String.valueOf(refused.getMessage()));
        }
    }
}
