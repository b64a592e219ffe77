package dev.berth.app.recover;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.cli.text.SafeText;
import dev.berth.config.ConfigSources;
import dev.berth.config.Configuration;
import dev.berth.config.InvalidConfigException;
import dev.berth.port.StoreFailure;
import dev.berth.store.HomeLock;
import dev.berth.store.HomeRefused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Brings the database of a home in line with what runs and what its directories tell. */
public final class RecoverCommand implements CliCommand {

    private static final CommandOption CONFIG =
            CommandOption.withValue("--config", "FILE", "the configuration file");
    private static final CommandOption FROM =
            CommandOption.withValue(
                    "--from", "BACKUP", "start from this copy; the present database is kept");
    private static final CommandOption DRY_RUN =
            CommandOption.flag("--dry-run", "only print what would be done");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "recover",
                "",
                "Recover a home whose database is missing, older or damaged",
                List.of(FROM, DRY_RUN, CONFIG));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws IOException {
        options.expectNoArguments();
        var home = ServerAddresses.personalHome(options, context);
        if (!Files.isDirectory(home)) {
            throw new CommandFailure("The home " + home + " does not exist.");
        }
        var files = HomeFiles.of(home, configuration(options, context, home));
        var backup = Optional.ofNullable(options.value(FROM)).map(context.cwd()::resolve);
        try (var _ = HomeLock.take(files.root());
                var _ = lockRuntime(files)) {
            var report = new HomeRecovery(files, backup, options.has(DRY_RUN)).run();
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
