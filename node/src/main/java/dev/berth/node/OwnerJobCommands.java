package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.RunAs;
import dev.berth.node.process.ProgramRun;
import dev.berth.node.process.SearchPath;
import dev.berth.node.process.UserSwitch;
import dev.berth.node.shim.CommandOwner;
import dev.berth.port.JobCommands;
import dev.berth.port.read.Accounts;
import dev.berth.port.read.Accounts.Account;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Runs commands of Slurm as the owners of tasks, for the accounts for which this node starts tasks.
 * The programs and their environment are chosen here; the arguments come from the server, and have
 * an effect only with the rights of the owner.
 */
public final class OwnerJobCommands implements JobCommands {

    /** With its controller down, a command waits for MessageTimeout, which may be minutes. */
    private static final ProgramRun.Limits LIMITS =
            new ProgramRun.Limits(Duration.ofSeconds(15), 4 << 20);

    /** Where a cluster has its configuration, if not where Slurm looks for it. */
    private static final String CONFIGURATION = "SLURM_CONF";

    /** Slurm is often built on the machine itself. */
    private static final SearchPath PROGRAMS =
            new SearchPath(SearchPath.SYSTEM.directories() + ":/usr/local/bin:/opt/slurm/bin");

    private final LaunchAccounts accounts;
    private final ProcessJournal journal;
    private final Map<String, String> environment;
    private final SearchPath programs;

    /**
     * @param environment of this process
     * @param programs where only root can put programs
     */
    OwnerJobCommands(
            LaunchAccounts accounts,
            ProcessJournal journal,
            Map<String, String> environment,
            SearchPath programs) {
        this.accounts = accounts;
        this.journal = journal;
        this.environment = environment;
        this.programs = programs;
    }

    /** For the accounts that a node allows, without a record of what was run. */
    public static JobCommands of(AccountRules rules, Accounts accounts) {
        return of(new LaunchAccounts(Optional.of(rules), accounts), ProcessJournal.NONE);
    }

    static JobCommands of(LaunchAccounts accounts, ProcessJournal journal) {
        return new OwnerJobCommands(accounts, journal, System.getenv(), PROGRAMS);
    }

    @Override
    public Result run(AttemptId attempt, RunAs account, Program program, List<String> arguments)
            throws IOException {
        Optional<CommandOwner> owner;
        try {
            owner = accounts.resolve(Optional.of(account));
        } catch (LaunchAccounts.RefusedException refused) {
            journal.refused(attempt, account);
            return new Result.Refused(refused.reason());
        }
        return run(attempt, owner.orElseThrow().account(), program, arguments);
    }

    private Result run(AttemptId attempt, Account account, Program program, List<String> arguments)
            throws IOException {
        var command = new ArrayList<>(List.of(find(program).toString()));
        command.addAll(arguments);
        // Setpriv still runs as root with this environment, so it has nothing of a task. Jobs
        // inherit it.
        var builder = UserSwitch.builder(account, command);
        Optional.ofNullable(environment.get(CONFIGURATION))
                .ifPresent(file -> builder.environment().put(CONFIGURATION, file));
        boolean isList = program == Program.SQUEUE;
        if (isList) {
            // Times without a zone are printed in this one. A job would inherit it.
            builder.environment().put("TZ", "UTC");
        }
        var process = builder.start();
        if (!isList) { // which changes nothing, every second
            journal.started(attempt, OptionalInt.of(account.uid()), process.pid());
        }
        try {
            return switch (ProgramRun.await(process, LIMITS)) {
                // A list without its end would look as if jobs were gone.
                case ProgramRun.Result.Ended(_, _, _, boolean isCut) when isCut ->
                        throw new IOException(name(program) + " prints too much");
                case ProgramRun.Result.Ended(int status, var output, var errors, _) ->
                        new Result.Ended(status, output, errors);
                case ProgramRun.Result.TimedOut _ ->
                        throw new IOException(
                                name(program)
                                        + " has not answered for "
                                        + LIMITS.time().toSeconds()
                                        + " s");
            };
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Slurm was asked", interrupted);
        }
    }

    private static String name(Program program) {
        return program.name().toLowerCase(Locale.ROOT);
    }

    private Path find(Program program) throws IOException {
        var name = name(program);
        return programs.find(name)
                .orElseThrow(
                        () ->
                                new IOException(
                                        "no program "
                                                + name
                                                + " in "
                                                + programs.directories()
                                                + ": install Slurm's commands"));
    }
}
