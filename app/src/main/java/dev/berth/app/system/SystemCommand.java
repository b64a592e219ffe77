package dev.berth.app.system;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.SafeText;
import dev.berth.files.PathPermissions;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Sets up and removes the server for all users of this machine. */
public final class SystemCommand implements CliCommand {

    private static final CommandOption ROOT =
            CommandOption.withValue(
                    "--root", "DIR", "install below this directory, for an image; no accounts");
    private static final CommandOption PREFIX =
            CommandOption.withValue("--prefix", "DIR", "where the program goes (/opt/berth)");
    private static final CommandOption PROGRAM =
            CommandOption.withValue(
                    "--program", "DIR", "the built program to install (the one that runs)");
    private static final CommandOption USER =
            CommandOption.withValue(
                    "--user", "NAME", "import: whose tasks they become (the owner of the home)");
    private static final CommandOption STATE =
            CommandOption.withValue(
                    "--state", "DIR", "import: the state of the server (/var/lib/berth)");
    private static final CommandOption AGAIN =
            CommandOption.flag("--again", "import: although the home was imported before");
    private static final CommandOption DRY_RUN =
            CommandOption.flag("--dry-run", "only print what would be done");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "system",
                "install | uninstall | import HOME",
                "Set up the server for all users of this machine, as root",
                List.of(DRY_RUN, PREFIX, ROOT, PROGRAM, USER, STATE, AGAIN));
    }

    @Override
    public int run(ParsedOptions options, CallContext context) throws IOException {
        var words = options.arguments();
        if (words.equals(List.of("install"))) {
            return install(options, context);
        }
        if (words.equals(List.of("uninstall"))) {
            return uninstall(options, context);
        }
        if (words.size() == 2 && words.getFirst().equals("import")) {
            return importHome(words.getLast(), options, context);
        }
        if (words.size() == 5 && words.getFirst().equals(HomeImport.RECORDS)) {
            return importRecords(words, context);
        }
        throw new UsageError("say what to do: install, uninstall, or import HOME");
    }

    private static int importHome(String path, ParsedOptions options, CallContext context)
            throws IOException {
        requireRoot();
        var home = PersonalHome.of(context.cwd().resolve(path));
        var state =
                Optional.ofNullable(options.value(STATE))
                        .map(context.cwd()::resolve)
                        .orElse(Installation.STATE);
        var owner = NewOwners.of(home, Optional.ofNullable(options.value(USER)));
        var task = new HomeImport(home, owner, state, options.has(AGAIN));
        boolean isService = state.equals(Installation.STATE) && Installation.isServerActive();
        if (isService) {
            context.printMessage("stopping the service berth meanwhile; running tasks go on");
            var _ = Programs.run(List.of("systemctl", "stop", "berth.service"));
        }
        try {
            task.run(context);
        } finally {
            if (isService) {
                var _ = Programs.run(List.of("systemctl", "start", "berth.service"));
            }
        }
        return 0;
    }

    private static int importRecords(List<String> words, CallContext context) throws IOException {
        var owner = new ImportedTasks.NewOwner(words.get(3), Integer.parseInt(words.get(4)));
        var files = ImportedRecords.filesOf(Path.of(words.get(1)));
        var plan = new ImportedRecords(Path.of(words.get(2)), files, owner).store();
        HomeImport.lines(plan).forEach(context.out()::println);
        return 0;
    }

    private static void requireRoot() throws IOException {
        if (PathPermissions.ofThisProcess().uid() != 0) {
            throw new CommandFailure(
                    "this changes accounts and services of the machine: run it as root (sudo berth"
                            + " system …)");
        }
    }

    private static int install(ParsedOptions options, CallContext context) throws IOException {
        var installation = installation(options, context);
        var source =
                Optional.ofNullable(options.value(PROGRAM))
                        .map(context.cwd()::resolve)
                        .orElseGet(ProgramCopy::ofThisProcess);
        if (installation.isPackaged(source)) {
            apply(installation.stepsOfPackage(), options, context);
            if (!options.has(DRY_RUN)) {
                context.out().println(installation.advice());
            }
            return 0;
        }
        var copy =
                ProgramCopy.of(
                        source,
                        source.resolve("berth"),
                        Path.of(System.getProperty("java.home")),
                        installation.versions());
        apply(installation.steps(copy), options, context);
        if (!options.has(DRY_RUN)) {
            ProgramVersions.removeUnused(installation.versions(), copy.directory());
            context.out().println(installation.advice());
        }
        return 0;
    }

    private static int uninstall(ParsedOptions options, CallContext context) throws IOException {
        var installation = installation(options, context);
        apply(installation.removal(), options, context);
        context.out()
                .println(
                        "Kept: "
                                + String.join(
                                        ", ",
                                        installation.kept().stream().map(Path::toString).toList())
                                + " and the account "
                                + Installation.ACCOUNT
                                + ". Running tasks go on.");
        return 0;
    }

    private static Installation installation(ParsedOptions options, CallContext context)
            throws IOException {
        var root = Optional.ofNullable(options.value(ROOT)).map(context.cwd()::resolve);
        if (root.isEmpty()) {
            requireRoot();
        }
        var prefix = Optional.ofNullable(options.value(PREFIX)).map(Path::of);
        if (prefix.isPresent() && !prefix.get().isAbsolute()) {
            throw new UsageError("--prefix must be an absolute path");
        }
        return new Installation(
                root.orElse(Path.of("/")).normalize(),
                prefix.orElse(Installation.PROGRAM).normalize());
    }

    private static void apply(List<InstallStep> steps, ParsedOptions options, CallContext context)
            throws IOException {
        boolean isDryRun = options.has(DRY_RUN);
        boolean isUnchanged = true;
        for (var step : steps) {
            var pending = step.pending();
            if (pending.isEmpty()) {
                continue;
            }
            isUnchanged = false;
            if (!isDryRun) {
                step.apply();
            }
            context.out().println((isDryRun ? "would " : "") + SafeText.line(pending.get()));
        }
        if (isUnchanged) {
            context.out().println("nothing to do");
        }
    }
}
