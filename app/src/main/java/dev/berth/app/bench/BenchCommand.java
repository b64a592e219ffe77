package dev.berth.app.bench;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliCommand;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/** {@code berth bench NAME}. */
public final class BenchCommand implements CliCommand {

    private static final CommandOption TASKS =
            CommandOption.withValue(
                    "--tasks", "N", "number of tasks: to run (1000), to queue (100000)");

    private static final CommandOption IN =
            CommandOption.withValue(
                    "--in", "DIR", "measure the disk that this is on (the temporary directory)");

    private static final CommandOption AS =
            CommandOption.withValue(
                    "--as", "USER", "system, slurm: whose tasks to run (who called sudo)");

    private static final CommandOption OTHERS =
            CommandOption.withValue(
                    "--others", "N", "slurm: measure beside N held jobs of root instead");

    private static final CommandOption BESIDE =
            CommandOption.withValue(
                    "--beside", "PROGRAM", "start: measure this too; tsp, the task-spooler");

    private static final String TEMPORARY = System.getProperty("java.io.tmpdir");

    @Override
    public CommandSyntax syntax() {
        return new CommandSyntax(
                "bench",
                "start|cli|scale|system|slurm|plan|why|learned|warm|history|log",
                "Measure the performance of Berth on this machine",
                List.of(TASKS, IN, AS, BESIDE, OTHERS));
    }

    @Override
    public int run(ParsedOptions options, CallContext context)
            throws IOException, InterruptedException {
        var launcher = System.getProperty("berth.launcher");
        if (launcher == null) {
            throw new CommandFailure("bench needs the launcher: run ./berth bench start");
        }
        var given = options.value(IN);
        var directory = context.cwd().resolve(given == null ? TEMPORARY : given);
        var report = new BenchReport(context.out());
        switch (String.join(" ", options.arguments())) {
            case "start" ->
                    new StartBench(launcher, report)
                            .run(
                                    directory,
                                    tasks(options.value(TASKS), 1000),
                                    isBesideSpooler(options.value(BESIDE)));
            case "cli" -> new CliBench(launcher, report).run(directory);
            case "scale" ->
                    new ScaleBench(launcher, report)
                            .run(directory, tasks(options.value(TASKS), 100_000));
            case "system" ->
                    new SystemBench(launcher, report).run(directory, owner(options, context));
            case "slurm" -> {
                if (options.value(OTHERS) == null) {
                    new SlurmBench(launcher, report).run(directory);
                } else {
                    new SlurmLoadBench(launcher, report)
                            .run(
                                    directory,
                                    number(OTHERS, options.value(OTHERS), 0),
                                    owner(options, context));
                }
            }
            case "plan" ->
                    new PlanBench(launcher, report)
                            .run(directory, tasks(options.value(TASKS), 100_000));
            case "why" ->
                    new WhyBench(launcher, report)
                            .run(directory, tasks(options.value(TASKS), 100_000));
            case "learned" ->
                    new LearnedBench(report).run(directory, tasks(options.value(TASKS), 100_000));
            case "warm" ->
                    new WarmBench(launcher, report)
                            .run(directory, tasks(options.value(TASKS), 5000));
            case "history" -> new HistoryBench(report).run(directory);
            case "log" -> new LogBench(launcher, report).run(directory);
            default ->
                    throw new UsageError(
                            "bench needs one of: start, cli, scale, system, slurm, plan, why,"
                                    + " learned, warm, history, log");
        }
        return 0;
    }

    private static String owner(ParsedOptions options, CallContext context) {
        var named = options.value(AS);
        var user = named == null ? context.env().get("SUDO_USER") : named;
        if (user == null || user.equals("root")) {
            throw new UsageError("this needs --as USER, an account that is not root");
        }
        return user;
    }

    private static boolean isBesideSpooler(@Nullable String program) {
        if (program != null && !program.equals("tsp")) {
            throw new UsageError("--beside knows tsp, not " + program);
        }
        return program != null;
    }

    private static int tasks(@Nullable String text, int defaultTasks) {
        return number(TASKS, text, defaultTasks);
    }

    private static int number(CommandOption option, @Nullable String text, int defaultTasks) {
        try {
            int tasks = text == null ? defaultTasks : Integer.parseInt(text);
            if (tasks > 0) {
                return tasks;
            }
        } catch (NumberFormatException _) {
            // Reported below, together with numbers that are too small.
        }
        throw new UsageError(option.name() + " must be a number, 1 or more, not " + text);
    }
}
