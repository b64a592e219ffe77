package dev.berth.app.doctor;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TextStyle;
import dev.berth.config.ConfigSources;
import dev.berth.config.Configuration;
import dev.berth.config.InvalidConfigException;
import dev.berth.jsontext.JsonWriter;
import dev.berth.node.process.SearchPath;
import dev.berth.store.BackupFiles;
import dev.berth.store.DeepCheck;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks everything that Berth needs. Works without a server. */
public final class DoctorCommand implements CliCommand {

    private static final CommandOption CONFIG =
            CommandOption.withValue("--config", "FILE", "the configuration file");

    private static final CommandOption DEEP =
            CommandOption.flag(
                    "--deep", "verify every row of the database; also while a server runs");

    private static final CommandOption STATE =
            CommandOption.withValue(
                    "--state", "DIR", "with --system: where its files are (/var/lib/berth)");

    private static final CommandOption AS =
            CommandOption.withValue(
                    "--as", "USER", "with --system: as whom jobs are tried on a cluster");

    private final BiFunction<Path, CallContext, Optional<RunningServer>> servers;
    private final Function<Optional<Path>, SystemFiles> systems;

    /**
     * A server that runs at the home.
     *
     * @param gpuModels of the GPUs that it reads
     */
    public record RunningServer(String url, List<String> gpuModels) {
        public RunningServer {
            gpuModels = List.copyOf(gpuModels);
        }
    }

    /**
     * The files of a server of the machine.
     *
     * @param config of the server, if it is outside of its home
     */
    public record SystemFiles(Path home, Optional<Path> config, Path nodeConfig) {}

    /**
     * @param servers returns the server at a home, if one runs there
     * @param systems returns the files of the server with this state directory
     */
    public DoctorCommand(
            BiFunction<Path, CallContext, Optional<RunningServer>> servers,
            Function<Optional<Path>, SystemFiles> systems) {
        this.servers = servers;
        this.systems = systems;
    }

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "doctor",
                "",
                "Check what Berth needs; exits 1 if something is wrong",
                List.of(CONFIG, DEEP, STATE, AS, CommandOption.JSON));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws InterruptedException {
        options.expectNoArguments();
        var findings =
                options.has(CommandOption.SYSTEM)
                        ? ofSystem(options, context)
                        : ofHome(options, context);
        if (options.has(CommandOption.JSON)) {
            context.out()
                    .println(
                            JsonWriter.write(
                                    findings.stream().map(DoctorCommand::fields).toList()));
        } else {
            findings.forEach(
                    finding -> context.out().println(line(finding, context.usesColours())));
        }
        return findings.stream()
                        .anyMatch(finding -> finding.level() == DoctorFinding.FindingLevel.WRONG)
                ? 1
                : 0;
    }

    /** The findings about what a configuration names. */
    private interface ConfiguredChecks {
        List<DoctorFinding> of(Configuration config) throws InterruptedException;
    }

    private static List<DoctorFinding> configured(
            Path home, Optional<Path> file, CallContext context, ConfiguredChecks checks)
            throws InterruptedException {
        Configuration config;
        try {
            config =
                    Configuration.load(
                            new ConfigSources(home, file, context.env(), new TreeMap<>()));
        } catch (InvalidConfigException refused) {
            return List.of(
                    DoctorFinding.wrong(
                            "config",
                            String.valueOf(refused.getMessage()),
                            "correct that line; nothing else was checked"));
        }
        var finding =
                config.warnings().isEmpty()
                        ? DoctorFinding.ok("config", "in order")
                        : DoctorFinding.note("config", String.join("; ", config.warnings()));
        return Stream.concat(Stream.of(finding), checks.of(config).stream()).toList();
    }

    private static Optional<Path> path(
            CommandOption option, ParsedOptions options, CallContext context) {
        return Optional.ofNullable(options.value(option)).map(context.cwd()::resolve);
    }

    private List<DoctorFinding> ofSystem(ParsedOptions options, CallContext context)
            throws InterruptedException {
        var files = systems.apply(path(STATE, options, context));
        var user =
                Optional.ofNullable(options.value(AS))
                        .or(() -> Optional.ofNullable(context.env().get("SUDO_USER")));
        return configured(
                files.home(),
                path(CONFIG, options, context).or(files::config),
                context,
                config -> new SystemChecks(files.nodeConfig(), config, user).all());
    }

    private List<DoctorFinding> ofHome(ParsedOptions options, CallContext context)
            throws InterruptedException {
        for (var option : List.of(STATE, AS)) {
            if (options.has(option)) {
                throw new UsageError(option.name() + " is for --system");
            }
        }
        var home = ServerAddresses.personalHome(options, context);
        return configured(
                home,
                path(CONFIG, options, context),
                context,
                config -> ofHome(home, config, options, context));
    }

    private List<DoctorFinding> ofHome(
            Path home, Configuration config, ParsedOptions options, CallContext context)
            throws InterruptedException {
        var path =
                Stream.concat(
                                config.execution().extraPath().stream().map(Path::toString),
                                Stream.of(context.env().getOrDefault("PATH", "")))
                        .collect(Collectors.joining(":"));
        var checks =
                new DoctorChecks(home, config, new SearchPath(path), servers.apply(home, context));
        var database =
                new DatabaseChecks(config.storage().database(), BackupFiles.directoryOf(home));
        var ofDatabase =
                options.has(DEEP) ? database.deep(progress(options, context)) : database.usual();
        return checks.all(ofDatabase);
    }

    /** On the error stream, so that it does not mix with the findings. */
    private static DeepCheck.Progress progress(ParsedOptions options, CallContext context) {
        if (options.has(CommandOption.JSON)) {
            return (_, _) -> {};
        }
        return (what, rows) ->
                context.err().println(rows == 0 ? what : what + ": " + rows + " rows");
    }

    private static LinkedHashMap<String, Object> fields(DoctorFinding finding) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("check", finding.check());
        fields.put("status", status(finding.level()));
        fields.put("detail", finding.detail());
        fields.put("remedy", finding.remedy());
        return fields;
    }

    private static String line(DoctorFinding finding, boolean colours) {
        var paint =
                switch (finding.level()) {
                    case OK -> TextStyle.GREEN;
                    case NOTE -> TextStyle.YELLOW;
                    case WRONG -> TextStyle.RED;
                };
        var status =
                paint.apply(String.format(Locale.ROOT, "%-5s", status(finding.level())), colours);
        var remedy = finding.remedy().isEmpty() ? "" : "\n                  → " + finding.remedy();
        return String.format(
                Locale.ROOT,
                "%s %-11s %s%s",
                status,
                finding.check(),
                SafeText.line(finding.detail()),
                remedy);
    }

    private static String status(DoctorFinding.FindingLevel verdict) {
        return switch (verdict) {
            case OK -> "ok";
            case NOTE -> "note";
            case WRONG -> "wrong";
        };
    }
}
