package dev.berth.slurm;

import dev.berth.node.process.ProgramRun;
import dev.berth.port.JobCommands;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Slurm by its text commands. {@code squeue --json} would ignore the selection of users, and {@code
 * sacct} is seconds late.
 */
public final class CommandLineSlurm implements SlurmClient {

    /** With its controller down, a command waits for MessageTimeout, which may be minutes. */
    private static final ProgramRun.Limits LIMITS =
            new ProgramRun.Limits(Duration.ofSeconds(15), 64 << 20);

    /** Each call is a process. */
    private static final int MAX_SINGLE_USERS = 8;

    private static final int MAX_MESSAGE_CHARS = 500;
    private static final String JOB_FORMAT = "%i|%T|%r|%S|%N|%U|%o";
    private static final Pattern JOB_LINE =
            Pattern.compile(
                    "([^|]*)\\|([^|]*)\\|([^|]*)\\|([^|]*)\\|([^|]*)\\|(\\d{1,10})\\|(.*)",
                    Pattern.DOTALL);
    private static final Pattern UNREACHABLE =
            Pattern.compile(
                    "(?i)unable to contact|timed out|connection (refused|reset)|connect failure"
                            + "|not connected|connection aborted"
                            + "|broken pipe|no route|network is|unreachable|input/output error"
                            + "|temporarily un|interrupted|cannot allocate|unexpected message"
                            + "|zero bytes|incomplete|socket|communication|stale file"
                            + "|backup controller|standby mode|protocol authentication|munge"
                            + "|too many|try again|job violates accounting/qos policy.*submit");

    private final Map<String, String> environment;
    private final String user;
    private final Optional<JobCommands> owners;

    /**
     * @param user whose jobs are listed
     * @param environment variables in addition to those of this process
     */
    public CommandLineSlurm(String user, Map<String, String> environment) {
        this(user, environment, Optional.empty());
    }

    private CommandLineSlurm(
            String user, Map<String, String> environment, Optional<JobCommands> owners) {
        this.user = user;
        this.environment = new TreeMap<>(environment);
        this.owners = owners;
    }

    /** The same, with jobs that belong to the owners of tasks. */
    public CommandLineSlurm withOwners(JobCommands commands) {
        return new CommandLineSlurm(user, environment, Optional.of(commands));
    }

    @Override
    public String submit(Path script, List<String> options, Optional<JobOwner> owner)
            throws SlurmFailure {
        var arguments = new ArrayList<String>();
        arguments.add("--parsable");
        arguments.add("--no-requeue");
        arguments.addAll(options);
        arguments.add(script.toString());
        var answer = run(JobCommands.Program.SBATCH, arguments, owner).strip();
        int cluster = answer.indexOf(';');
        return cluster < 0 ? answer : answer.substring(0, cluster);
    }

    @Override
    public List<SlurmJob> jobs(SortedSet<Integer> uids) throws SlurmFailure {
        var jobs = new ArrayList<SlurmJob>();
        for (var users : selections(uids)) {
            var command = new ArrayList<>(List.of("squeue"));
            command.addAll(listOptions(users));
            jobs.addAll(parseJobs(run(command)));
        }
        return jobs;
    }

    @Override
    public List<SlurmJob> jobs(JobOwner owner) throws SlurmFailure {
        var uid = Integer.toUnsignedString(owner.account().uid());
        return parseJobs(run(JobCommands.Program.SQUEUE, listOptions(uid), Optional.of(owner)));
    }

    private static List<String> listOptions(String users) {
        return List.of("-h", "-u", users, "-t", "all", "-o", JOB_FORMAT);
    }

    private static List<SlurmJob> parseJobs(String lines) {
        return lines.lines().flatMap(line -> parseJob(line).stream()).toList();
    }

    /**
     * Asked for one user, the controller sends only that user's jobs; for several, all jobs of the
     * cluster. With 10,000 jobs that takes ten times as long.
     */
    private List<String> selections(SortedSet<Integer> uids) {
        var users = uids.stream().map(Integer::toUnsignedString).toList();
        if (users.isEmpty()) {
            return List.of(user);
        }
        return users.size() <= MAX_SINGLE_USERS ? users : List.of(String.join(",", users));
    }

    /** The script comes last, because its path may contain anything. */
    static Optional<SlurmJob> parseJob(String line) {
        var parts = JOB_LINE.matcher(line);
        return parts.matches()
                ? Optional.of(
                        new SlurmJob(
                                parts.group(1),
                                parts.group(2),
                                parts.group(3),
                                time(parts.group(4)),
                                parts.group(5),
                                Integer.parseUnsignedInt(parts.group(6)),
                                parts.group(7)))
                : Optional.empty();
    }

    @Override
    public void cancel(String id, String name, Optional<JobOwner> owner) throws SlurmFailure {
        run(JobCommands.Program.SCANCEL, List.of("--quiet", "--name=" + name, id), owner);
    }

    private String run(
            JobCommands.Program program, List<String> arguments, Optional<JobOwner> owner)
            throws SlurmFailure {
        var name = program.name().toLowerCase(Locale.ROOT);
        if (owner.isEmpty()) {
            var command = new ArrayList<>(List.of(name));
            command.addAll(arguments);
            return run(command);
        }
        JobCommands.Result result;
        try {
            result =
                    owners.orElseThrow()
                            .run(owner.get().attempt(), owner.get().account(), program, arguments);
        } catch (IOException failure) {
            throw SlurmFailure.unreachable(String.valueOf(failure.getMessage()));
        }
        return switch (result) {
            case JobCommands.Result.Refused(String reason) -> throw SlurmFailure.forbidden(reason);
            case JobCommands.Result.Ended(int status, String output, String errors) -> {
                if (status != 0) {
                    throw failure(name, errors);
                }
                yield output;
            }
        };
    }

    @Override
    public Instant controllerStart() throws SlurmFailure {
        return time(configuration().getOrDefault("BOOT_TIME", ""))
                .orElseThrow(() -> SlurmFailure.unreachable("scontrol shows no BOOT_TIME"));
    }

    @Override
    public ClusterSettings settings() throws SlurmFailure {
        var values = configuration();
        return new ClusterSettings(
                values.getOrDefault("SLURM_VERSION", ""),
                values.getOrDefault("ProctrackType", ""),
                List.of(values.getOrDefault("PrivateData", "").split(",")).contains("jobs"));
    }

    private Map<String, String> configuration() throws SlurmFailure {
        var values = new TreeMap<String, String>();
        for (var line : run(List.of("scontrol", "show", "config")).lines().toList()) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals).strip(), line.substring(equals + 1).strip());
            }
        }
        return values;
    }

    @Override
    public void resume(String host) throws SlurmFailure {
        run(List.of("scontrol", "update", "nodename=" + host, "state=resume"));
    }

    @Override
    public void reconfigure() throws SlurmFailure {
        run(List.of("scontrol", "reconfigure"));
    }

    @Override
    public List<SlurmNode> nodes() throws SlurmFailure {
        var nodes = new TreeMap<String, SlurmNode>();
        var format = "NodeList:|,StateComplete:|,Gres:|,GresUsed:|,Reason:|";
        for (var line : run(List.of("sinfo", "-h", "-N", "-O", format)).lines().toList()) {
            NodeLine.parse(line).ifPresent(node -> nodes.put(node.name(), node));
        }
        return List.copyOf(nodes.values());
    }

    @Override
    public List<ForeignJob> runningJobs() throws SlurmFailure {
        var jobs = new ArrayList<ForeignJob>();
        for (var line :
                run(List.of("squeue", "-h", "-t", "R,CG,S", "-o", "%i|%u|%N")).lines().toList()) {
            var parts = line.split("\\|", 3);
            if (parts.length == 3) {
                jobs.add(new ForeignJob(parts[0], parts[1], parts[2]));
            }
        }
        return jobs;
    }

    /** Runs a command of Slurm and returns its output. */
    String run(List<String> command) throws SlurmFailure {
        var program = command.getFirst();
        try {
            return switch (ProgramRun.await(builder(command).start(), LIMITS)) {
                case ProgramRun.Result.TimedOut _ ->
                        throw SlurmFailure.unreachable(
                                program
                                        + " has not answered for "
                                        + LIMITS.time().toSeconds()
                                        + " s");
                case ProgramRun.Result.Ended(int status, _, var errors, _) when status != 0 ->
                        throw failure(program, errors);
                // A list without its end would look as if jobs were gone.
                case ProgramRun.Result.Ended(_, _, _, boolean isCut) when isCut ->
                        throw SlurmFailure.unreachable(program + " prints too much");
                case ProgramRun.Result.Ended(_, var output, _, _) -> output;
            };
        } catch (IOException failure) {
            throw SlurmFailure.unreachable(
                    program + " cannot be run: " + String.valueOf(failure.getMessage()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw SlurmFailure.unreachable(program + " was interrupted");
        }
    }

    ProcessBuilder builder(List<String> command) {
        var builder = ProgramRun.builder(command);
        if (!command.getFirst().equals("sbatch")) { // whose variables are those of the job
            // Times without a zone are printed in this one.
            builder.environment().put("TZ", "UTC");
            builder.environment().put("LC_ALL", "C.UTF-8");
        }
        // Variables of this kind set options of every command.
        builder.environment().keySet().removeIf(CommandLineSlurm::setsOptions);
        builder.environment().putAll(environment);
        return builder;
    }

    private static boolean setsOptions(String name) {
        return name.startsWith("SBATCH_")
                || name.startsWith("SQUEUE_")
                || name.startsWith("SINFO_")
                || (name.startsWith("SLURM_") && !name.equals("SLURM_CONF"));
    }

    static SlurmFailure failure(String program, String errors) {
        var text = errors.strip();
        var message =
                (text.length() > MAX_MESSAGE_CHARS ? text.substring(0, MAX_MESSAGE_CHARS) : text)
                        .replace('\n', ' ');
        return UNREACHABLE.matcher(text).find() || !program.equals("sbatch")
                ? SlurmFailure.unreachable(message)
                : SlurmFailure.refused(message);
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(LocalDateTime.parse(text).toInstant(ZoneOffset.UTC));
        } catch (DateTimeParseException none) {
            return Optional.empty();
        }
    }
}
