package dev.berth.slurm;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Slurm by its text commands. {@code squeue --json} would ignore the selection of users, and {@code
 * sacct} is seconds late.
 */
public final class CommandLineSlurm implements SlurmClient {

    /** With its controller down, a command waits for MessageTimeout, which may be minutes. */
    private static final Duration DEADLINE = Duration.ofSeconds(15);

    private static final int MAX_OUTPUT_BYTES = 64 << 20;
    private static final int MAX_MESSAGE_CHARS = 500;
    private static final String JOB_FORMAT = "%i|%T|%r|%S|%N|%o";
    private static final Pattern UNREACHABLE =
            Pattern.compile(
                    "(?i)unable to contact|timed out|connection (refused|reset)|connect failure"
                            + "|broken pipe|no route|network is|unreachable|input/output error"
                            + "|temporarily un|interrupted|cannot allocate|unexpected message"
                            + "|zero bytes|incomplete|socket|communication|stale file"
                            + "|backup controller|standby mode|protocol authentication|munge"
                            + "|too many|try again|job violates accounting/qos policy.*submit");

    private final Map<String, String> environment;
    private final String user;

    /**
     * @param user whose jobs are listed
     * @param environment variables in addition to those of this process
     */
    public CommandLineSlurm(String user, Map<String, String> environment) {
        this.user = user;
        this.environment = new TreeMap<>(environment);
    }

    @Override
    public String submit(Path script, List<String> options) throws SlurmFailure {
        var command = new ArrayList<String>();
        command.add("sbatch");
        command.add("--parsable");
        command.add("--no-requeue");
        command.addAll(options);
        command.add(script.toString());
        var answer = run(command).strip();
        int cluster = answer.indexOf(';');
        return cluster < 0 ? answer : answer.substring(0, cluster);
    }

    @Override
    public List<SlurmJob> jobs() throws SlurmFailure {
        var jobs = new ArrayList<SlurmJob>();
        for (var line :
                run(List.of("squeue", "-h", "-u", user, "-t", "all", "-o", JOB_FORMAT))
                        .lines()
                        .toList()) {
            parseJob(line).ifPresent(jobs::add);
        }
        return jobs;
    }

    /** The script comes last, because its path may contain anything. */
    static Optional<SlurmJob> parseJob(String line) {
        var parts = line.split("\\|", 6);
        return parts.length < 6
                ? Optional.empty()
                : Optional.of(
                        new SlurmJob(
                                parts[0], parts[1], parts[2], time(parts[3]), parts[4], parts[5]));
    }

    @Override
    public void cancel(String id, String name) throws SlurmFailure {
        run(List.of("scancel", "--quiet", "--name=" + name, id));
    }

    @Override
    public Instant controllerStart() throws SlurmFailure {
        return time(setting("BOOT_TIME"))
                .orElseThrow(() -> SlurmFailure.unreachable("scontrol shows no BOOT_TIME"));
    }

    @Override
    public ClusterSettings settings() throws SlurmFailure {
        return new ClusterSettings(setting("SLURM_VERSION"), setting("ProctrackType"));
    }

    private String setting(String name) throws SlurmFailure {
        return run(List.of("scontrol", "show", "config"))
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(line.indexOf('=') + 1).strip())
                .findFirst()
                .orElse("");
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
        var builder =
                new ProcessBuilder(command)
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        // Times without a zone are printed in this one.
        builder.environment().put("TZ", "UTC");
        builder.environment().put("LC_ALL", "C.UTF-8");
        // Variables of this kind set options of every command.
        builder.environment().keySet().removeIf(CommandLineSlurm::setsOptions);
        builder.environment().putAll(environment);
        Process process;
        try {
            process = builder.start();
        } catch (IOException failure) {
            throw SlurmFailure.unreachable(
                    command.getFirst() + " cannot be started: " + failure.getMessage());
        }
        var output = CompletableFuture.supplyAsync(() -> read(process.getInputStream()));
        var errors = CompletableFuture.supplyAsync(() -> read(process.getErrorStream()));
        try {
            if (!process.waitFor(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw SlurmFailure.unreachable(
                        command.getFirst()
                                + " has not answered for "
                                + DEADLINE.toSeconds()
                                + " s");
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw SlurmFailure.unreachable(command.getFirst() + " was interrupted");
        }
        if (process.exitValue() != 0) {
            throw failure(command.getFirst(), errors.join());
        }
        return output.join();
    }

    private static boolean setsOptions(String name) {
        return name.startsWith("SBATCH_")
                || name.startsWith("SQUEUE_")
                || name.startsWith("SINFO_")
                || (name.startsWith("SLURM_") && !name.equals("SLURM_CONF"));
    }

    private static SlurmFailure failure(String program, String errors) {
        var text = errors.strip();
        var message =
                (text.length() > MAX_MESSAGE_CHARS ? text.substring(0, MAX_MESSAGE_CHARS) : text)
                        .replace('\n', ' ');
        return UNREACHABLE.matcher(text).find() || !program.equals("sbatch")
                ? SlurmFailure.unreachable(message)
                : SlurmFailure.refused(message);
    }

    private static String read(InputStream in) {
        try (in) {
            return new String(in.readNBytes(MAX_OUTPUT_BYTES), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(LocalDateTime.parse(text).toInstant(ZoneOffset.UTC));
        } catch (DateTimeParseException none) {
            return Optional.empty();
        }
    }
}
