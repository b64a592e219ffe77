package dev.berth.app;

import dev.berth.app.bench.BenchCommand;
import dev.berth.app.doctor.DoctorCommand;
import dev.berth.app.simulate.SimulateCommand;
import dev.berth.app.system.SystemCommand;
import dev.berth.cli.Cli;
import dev.berth.cli.command.run.RunCommand;
import dev.berth.node.linux.TerminalSize;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The entry point of {@code berth}. */
public final class Main {

    private Main() {}

    private static DoctorCommand.SystemFiles systemFiles(Optional<Path> state) {
        var paths = SystemPaths.of(state, Optional.empty());
        return new DoctorCommand.SystemFiles(paths.home(), paths.config(), paths.nodeConfig());
    }

    public static void main(String[] arguments) {
        var cli =
                new Cli(
                        List.of(
                                new DemoCommand(),
                                new ServeCommand(),
                                new NodeCommand(),
                                new StartCommand(),
                                new StopCommand(),
                                new RunCommand(new LocalServerControl()),
                                new AttachCommand(),
                                new DoctorCommand(
                                        (home, context) ->
                                                ServerFinder.find(home, context)
                                                        .map(
                                                                running ->
                                                                        new DoctorCommand
                                                                                .RunningServer(
                                                                                running.url(),
                                                                                ServerFinder
                                                                                        .gpuModels(
                                                                                                home))),
                                        Main::systemFiles),
                                new RecoverCommand(),
                                new TlsCommand(),
                                new SystemCommand(),
                                new ParseCommand(),
                                new SimulateCommand(),
                                new BenchCommand()));
        int status = cli.run(arguments, () -> TerminalSize.columns(TerminalSize.STANDARD_OUTPUT));
        if (cli.hasRunOwnCommand()) {
            // System.exit looks for a logger first, which takes longer than most commands.
            Runtime.getRuntime().halt(status);
        }
        System.exit(status);
    }
}
