package dev.berth.cli;

import dev.berth.cli.call.CliVersion;
import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.command.Alerts;
import dev.berth.cli.command.Cancel;
import dev.berth.cli.command.Cleanup;
import dev.berth.cli.command.Clone;
import dev.berth.cli.command.Config;
import dev.berth.cli.command.Edit;
import dev.berth.cli.command.Gpus;
import dev.berth.cli.command.Health;
import dev.berth.cli.command.Launch;
import dev.berth.cli.command.Login;
import dev.berth.cli.command.Logs;
import dev.berth.cli.command.Ls;
import dev.berth.cli.command.Queue;
import dev.berth.cli.command.Receivers;
import dev.berth.cli.command.Rule;
import dev.berth.cli.command.Runs;
import dev.berth.cli.command.Scheduler;
import dev.berth.cli.command.Show;
import dev.berth.cli.command.Submit;
import dev.berth.cli.command.Token;
import dev.berth.cli.command.Usage;
import dev.berth.cli.command.Wait;
import dev.berth.cli.command.Why;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Nearest;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code berth}: finds the command that is meant and runs it. */
public final class Cli {

    public static final int DONE = 0;
    public static final int REFUSED = 1;
    public static final int NOT_UNDERSTOOD = 2;

    /** What a shell reports for a command that was interrupted. */
    private static final int INTERRUPTED = 130;

    private static final int NAME_WIDTH = 11;

    private final List<Command> more;

    /**
     * @param more commands that need more of Berth than this module may see
     */
    public Cli(List<Command> more) {
        this.more = List.copyOf(more);
    }

    /**
     * A call by this process.
     *
     * @return the exit status
     */
    public int run(String[] words) {
        try {
            return run(words, Surroundings.ofProcess());
        } catch (Refused unreadable) {
            System.err.println("berth: " + unreadable.getMessage());
            return REFUSED;
        }
    }

    /**
     * @return the exit status
     */
    public int run(String[] words, Surroundings around) {
        try {
            return run(new ArrayList<>(Arrays.asList(words)), around);
        } catch (UsageError error) {
            around.note(error.getMessage());
            return NOT_UNDERSTOOD;
        } catch (Refused refused) {
            around.note(refused.getMessage());
            return REFUSED;
        } catch (IOException failed) {
            around.note(Clean.line(String.valueOf(failed.getMessage())));
            return REFUSED;
        } catch (InterruptedException interrupted) {
            return INTERRUPTED;
        } finally {
            around.out().flush();
            around.err().flush();
        }
    }

    private int run(List<String> words, Surroundings around)
            throws IOException, InterruptedException {
        List<String> rest = new ArrayList<>();
        while (!words.isEmpty() && words.getFirst().startsWith("-")) {
            String word = words.removeFirst();
            if (word.equals("--help") || word.equals("-h")) {
                around.out().print(help());
                return DONE;
            }
            if (word.equals("--version")) {
                around.out().println("berth " + CliVersion.CURRENT);
                return DONE;
            }
            if (word.startsWith("--home=")) {
                rest.add(word);
            } else if (word.equals("--home") && !words.isEmpty()) {
                rest.add("--home=" + words.removeFirst());
            } else {
                throw new UsageError(
                        "unknown option " + Clean.line(word) + " (`berth --help` lists commands)");
            }
        }
        if (words.isEmpty()) {
            around.err().print(help());
            return NOT_UNDERSTOOD;
        }
        String name = words.removeFirst();
        rest.addAll(words);
        return run(name, rest, around);
    }

    private int run(String name, List<String> words, Surroundings around)
            throws IOException, InterruptedException {
        if (name.equals("help") && words.isEmpty()) {
            around.out().print(help());
            return DONE;
        }
        Command command = name.equals("help") ? named(words.getFirst()) : named(name);
        try {
            Options given = Options.parse(command.syntax(), words);
            if (name.equals("help") || given.has(Option.HELP)) {
                around.out().print(command.syntax().help());
                return DONE;
            }
            return command.run(given, around);
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

    private Command named(String name) {
        Command own = own(name);
        if (own != null) {
            return own;
        }
        for (Command command : more) {
            if (command.syntax().name().equals(name)) {
                return command;
            }
        }
        List<String> names = new ArrayList<>();
        for (Command command : all()) {
            names.add(command.syntax().name());
        }
        String nearest = Nearest.to(name, names);
        throw new UsageError(
                "no command '"
                        + Clean.line(name)
                        + "'"
                        + (nearest == null ? "" : ": did you mean '" + nearest + "'?")
                        + " (`berth --help` lists commands)");
    }

    /** By name, so that a call loads the one it runs. */
    private static @Nullable Command own(String name) {
        return switch (name) {
            case "submit" -> new Submit();
            case "ls" -> new Ls();
            case "show" -> new Show();
            case "why" -> new Why();
            case "logs" -> new Logs();
            case "cancel" -> new Cancel();
            case "clone" -> new Clone();
            case "edit" -> new Edit();
            case "wait" -> new Wait();
            case "queue" -> new Queue();
            case "launch" -> new Launch();
            case "runs" -> new Runs();
            case "scheduler" -> new Scheduler();
            case "gpus" -> new Gpus();
            case "usage" -> new Usage();
            case "alerts" -> new Alerts();
            case "receivers" -> new Receivers();
            case "health" -> new Health();
            case "config" -> new Config();
            case "cleanup" -> new Cleanup();
            case "rule" -> new Rule();
            case "login" -> new Login();
            case "token" -> new Token();
            default -> null;
        };
    }

    private List<Command> all() {
        List<Command> all =
                new ArrayList<>(
                        List.of(
                                new Submit(),
                                new Ls(),
                                new Show(),
                                new Why(),
                                new Logs(),
                                new Cancel(),
                                new Clone(),
                                new Edit(),
                                new Wait(),
                                new Queue(),
                                new Launch(),
                                new Runs(),
                                new Scheduler(),
                                new Gpus(),
                                new Usage(),
                                new Alerts(),
                                new Receivers(),
                                new Health(),
                                new Config(),
                                new Cleanup(),
                                new Rule(),
                                new Login(),
                                new Token()));
        all.addAll(more);
        return all;
    }

    private String help() {
        StringBuilder text = new StringBuilder("Usage: berth [--home DIR] COMMAND …\n\n");
        for (Command command : all()) {
            String name = command.syntax().name();
            text.append("  ").append(name).repeat(' ', Math.max(1, NAME_WIDTH - name.length()));
            text.append(command.syntax().summary()).append('\n');
        }
        return text.append("\n`berth COMMAND --help` tells more.\n").toString();
    }
}
