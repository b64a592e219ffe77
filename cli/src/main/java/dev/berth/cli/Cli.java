package dev.berth.cli;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CliVersion;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.StandardOutput;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.command.gpu.GpusCommand;
import dev.berth.cli.command.gpu.NodesCommand;
import dev.berth.cli.command.gpu.UsageCommand;
import dev.berth.cli.command.learned.LearnedCommand;
import dev.berth.cli.command.log.LogsCommand;
import dev.berth.cli.command.model.ModelsCommand;
import dev.berth.cli.command.people.LimitCommand;
import dev.berth.cli.command.people.PeopleCommand;
import dev.berth.cli.command.people.ReservationsCommand;
import dev.berth.cli.command.people.ReserveCommand;
import dev.berth.cli.command.people.ShareCommand;
import dev.berth.cli.command.people.UnreserveCommand;
import dev.berth.cli.command.run.RunsCommand;
import dev.berth.cli.command.server.AlertsCommand;
import dev.berth.cli.command.server.AuditCommand;
import dev.berth.cli.command.server.BackupCommand;
import dev.berth.cli.command.server.CleanupCommand;
import dev.berth.cli.command.server.ConfigCommand;
import dev.berth.cli.command.server.HealthCommand;
import dev.berth.cli.command.server.ReceiversCommand;
import dev.berth.cli.command.server.RuleCommand;
import dev.berth.cli.command.server.SchedulerCommand;
import dev.berth.cli.command.task.CancelCommand;
import dev.berth.cli.command.task.CloneCommand;
import dev.berth.cli.command.task.EditCommand;
import dev.berth.cli.command.task.LaunchCommand;
import dev.berth.cli.command.task.LsCommand;
import dev.berth.cli.command.task.QueueCommand;
import dev.berth.cli.command.task.ResolveCommand;
import dev.berth.cli.command.task.RmCommand;
import dev.berth.cli.command.task.ShowCommand;
import dev.berth.cli.command.task.SubmitCommand;
import dev.berth.cli.command.task.WaitCommand;
import dev.berth.cli.command.task.WhyCommand;
import dev.berth.cli.command.token.LoginCommand;
import dev.berth.cli.command.token.TokenCommand;
import dev.berth.cli.manual.ManualCommand;
import dev.berth.cli.text.FailureText;
import dev.berth.cli.text.SafeText;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/** Entry point of {@code berth}: selects the command and runs it. */
public final class Cli {

    public static final int EXIT_SUCCESS = 0;
    public static final int EXIT_FAILURE = 1;
    public static final int EXIT_USAGE = 2;

    /** The exit status that a shell reports for an interrupted command. */
    private static final int INTERRUPTED = 130;

    private static final int NAME_WIDTH = 14;

    private final List<CliCommand> additional;
    private boolean hasRunOwnCommand;

    /**
     * @param additional commands from other modules; they need classes that this module may not
     *     depend on
     */
    public Cli(List<CliCommand> additional) {
        this.additional = List.copyOf(additional);
    }

    /**
     * Runs the command with the streams and environment of this process.
     *
     * @param terminalWidth asks the kernel for the width of the terminal
     * @return the exit status
     */
    public int run(String[] arguments, IntSupplier terminalWidth) {
        return run(arguments, StandardOutput.ofProcess(), terminalWidth);
    }

    /** The same with another output. */
    int run(String[] arguments, StandardOutput output, IntSupplier terminalWidth) {
        try {
            CallContext context = CallContext.ofProcess(output, terminalWidth);
            int status = run(arguments, context);
            Optional<String> loss = output.loss();
            if (loss.isEmpty()) {
                return status;
            }
            context.printMessage("the output could not be written: " + SafeText.line(loss.get()));
            return status == EXIT_SUCCESS ? EXIT_FAILURE : status;
        } catch (CommandFailure unreadable) {
            System.err.println("berth: " + unreadable.getMessage());
            return EXIT_FAILURE;
        }
    }

    /** True after a command of this module, which leaves nothing to do for a shutdown hook. */
    public boolean hasRunOwnCommand() {
        return hasRunOwnCommand;
    }

    /**
     * @return the exit status
     */
    public int run(String[] arguments, CallContext context) {
        try {
            return run(new ArrayList<>(Arrays.asList(arguments)), context);
        } catch (UsageError error) {
            context.printMessage(error.getMessage());
            return EXIT_USAGE;
        } catch (CommandFailure refused) {
            context.printMessage(refused.getMessage());
            return EXIT_FAILURE;
        } catch (IOException failed) {
            context.printMessage(FailureText.of(failed));
            return EXIT_FAILURE;
        } catch (InterruptedException interrupted) {
            return INTERRUPTED;
        } finally {
            context.out().flush();
            context.err().flush();
        }
    }

    private int run(List<String> arguments, CallContext context)
            throws IOException, InterruptedException {
        List<String> remaining = new ArrayList<>();
        while (!arguments.isEmpty() && arguments.getFirst().startsWith("-")) {
            String name = arguments.removeFirst();
            if (name.equals("--help") || name.equals("-h")) {
                context.out().print(help());
                return EXIT_SUCCESS;
            }
            if (name.equals("--version")) {
                context.out().println("berth " + CliVersion.CURRENT);
                return EXIT_SUCCESS;
            }
            if (name.startsWith("--home=") || name.equals(CommandOption.SYSTEM.name())) {
                remaining.add(name);
            } else if (name.equals("--home") && !arguments.isEmpty()) {
                remaining.add("--home=" + arguments.removeFirst());
            } else {
                throw new UsageError(
                        "unknown option "
                                + SafeText.line(name)
                                + " (`berth --help` lists commands)");
            }
        }
        if (arguments.isEmpty()) {
            context.err().print(help());
            return EXIT_USAGE;
        }
        String name = arguments.removeFirst();
        remaining.addAll(arguments);
        return run(name, remaining, context);
    }

    private int run(String name, List<String> arguments, CallContext context)
            throws IOException, InterruptedException {
        if (name.equals("help") && arguments.isEmpty()) {
            context.out().print(help());
            return EXIT_SUCCESS;
        }
        CliCommand command = name.equals("help") ? find(arguments.getFirst()) : find(name);
        try {
            ParsedOptions options = ParsedOptions.parse(command.syntax(), arguments);
            if (name.equals("help") || options.has(CommandOption.HELP)) {
                context.out().print(command.syntax().help());
                return EXIT_SUCCESS;
            }
            return command.run(options, context);
        } catch (UsageError error) {
            throw new UsageError(
                    error.getMessage()
                            + "\nUsage: "
                            + command.syntax().usage()
                            + "\n`berth "
                            + command.syntax().name()
                            + " --help` lists the options");
        }
    }

    private CliCommand find(String name) {
        CliCommand own = create(name);
        if (own != null) {
            hasRunOwnCommand = true;
            return own;
        }
        for (CliCommand command : additional) {
            if (command.syntax().name().equals(name)) {
                return command;
            }
        }
        if (name.equals("manual")) {
            return new ManualCommand(this::syntaxes);
        }
        List<String> names = new ArrayList<>();
        for (CliCommand command : all()) {
            names.add(command.syntax().name());
        }
        throw new UsageError(
                "no command '"
                        + SafeText.line(name)
                        + "'"
                        + CommandAdvice.of(name, names)
                        + " (`berth --help` lists commands)");
    }

    /** Selects by name, so that a call loads only the class of the command it runs. */
    private static @Nullable CliCommand create(String name) {
        return switch (name) {
            case "submit" -> new SubmitCommand();
            case "ls" -> new LsCommand();
            case "show" -> new ShowCommand();
            case "why" -> new WhyCommand();
            case "logs" -> new LogsCommand();
            case "cancel" -> new CancelCommand();
            case "rm" -> new RmCommand();
            case "resolve" -> new ResolveCommand();
            case "clone" -> new CloneCommand();
            case "edit" -> new EditCommand();
            case "wait" -> new WaitCommand();
            case "queue" -> new QueueCommand();
            case "launch" -> new LaunchCommand();
            case "runs" -> new RunsCommand();
            case "scheduler" -> new SchedulerCommand();
            case "gpus" -> new GpusCommand();
            case "nodes" -> new NodesCommand();
            case "models" -> new ModelsCommand();
            case "learned" -> new LearnedCommand();
            case "usage" -> new UsageCommand();
            case "people" -> new PeopleCommand();
            case "limit" -> new LimitCommand();
            case "share" -> new ShareCommand();
            case "reserve" -> new ReserveCommand();
            case "reservations" -> new ReservationsCommand();
            case "unreserve" -> new UnreserveCommand();
            case "alerts" -> new AlertsCommand();
            case "audit" -> new AuditCommand();
            case "receivers" -> new ReceiversCommand();
            case "health" -> new HealthCommand();
            case "config" -> new ConfigCommand();
            case "backup" -> new BackupCommand();
            case "cleanup" -> new CleanupCommand();
            case "rule" -> new RuleCommand();
            case "login" -> new LoginCommand();
            case "token" -> new TokenCommand();
            default -> null;
        };
    }

    private List<CliCommand> all() {
        List<CliCommand> all =
                new ArrayList<>(
                        List.of(
                                new SubmitCommand(),
                                new LsCommand(),
                                new ShowCommand(),
                                new WhyCommand(),
                                new LogsCommand(),
                                new CancelCommand(),
                                new RmCommand(),
                                new ResolveCommand(),
                                new CloneCommand(),
                                new EditCommand(),
                                new WaitCommand(),
                                new QueueCommand(),
                                new LaunchCommand(),
                                new RunsCommand(),
                                new SchedulerCommand(),
                                new GpusCommand(),
                                new NodesCommand(),
                                new ModelsCommand(),
                                new LearnedCommand(),
                                new UsageCommand(),
                                new PeopleCommand(),
                                new LimitCommand(),
                                new ShareCommand(),
                                new ReserveCommand(),
                                new ReservationsCommand(),
                                new UnreserveCommand(),
                                new AlertsCommand(),
                                new AuditCommand(),
                                new ReceiversCommand(),
                                new HealthCommand(),
                                new ConfigCommand(),
                                new BackupCommand(),
                                new CleanupCommand(),
                                new RuleCommand(),
                                new LoginCommand(),
                                new TokenCommand()));
        all.addAll(additional);
        all.add(new ManualCommand(this::syntaxes));
        return all;
    }

    private List<CommandSyntax> syntaxes() {
        return all().stream().map(CliCommand::syntax).toList();
    }

    private String help() {
        StringBuilder text =
                new StringBuilder("Usage: berth [--home DIR | --system] COMMAND …\n\n");
        for (CliCommand command : all()) {
            String name = command.syntax().name();
            text.append("  ").append(name).repeat(' ', Math.max(1, NAME_WIDTH - name.length()));
            text.append(command.syntax().summary()).append('\n');
        }
        return text.append("\n`berth COMMAND --help` shows more.\n").toString();
    }
}
