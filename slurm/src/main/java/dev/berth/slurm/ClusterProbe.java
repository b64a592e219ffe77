package dev.berth.slurm;

import dev.berth.node.linux.RegularFile;
import dev.berth.node.process.ProgramRun;
import dev.berth.node.process.UserSwitch;
import dev.berth.node.shim.ShimScript;
import dev.berth.port.read.Accounts.Account;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs a small job on each node, which shows that the node sees the shared path, as which user its
 * jobs run, and that only one of all nodes can create a file.
 */
public final class ClusterProbe {

    private static final Logger log = LoggerFactory.getLogger(ClusterProbe.class);

    /** How often all nodes try to create one file at the same time. */
    public static final int ROUNDS = 50;

    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final String BODY = resource();

    private static final ProgramRun.Limits FILE_LIMITS =
            new ProgramRun.Limits(Duration.ofSeconds(15), 1000);

    /** Jobs of any user write there; a name in it belongs to who created it. */
    private static final String OPEN_MODE = "1777";

    private static final int MAX_BYTES = 1 << 16;

    private final SlurmClient client;
    private final Path directory;
    private final Duration patience;
    private final Optional<ProbeAccounts> accounts;

    /**
     * For whom root runs a probe.
     *
     * @param server owns the shared path; root may have no rights there
     * @param job as which the jobs run
     */
    public record ProbeAccounts(Account server, JobOwner job) {}

    /**
     * What the probe of one node found.
     *
     * @param gpus that the driver shows to a job without GPUs
     * @param echo between the creation of a file here and the sight of the answer from the node
     * @param wins the rounds in which this node created the file
     */
    public record NodeProbe(
            String uid,
            SortedSet<String> groups,
            int gpus,
            Optional<Duration> echo,
            List<Integer> wins) {}

    /**
     * @param nodes the nodes whose job ran
     * @param silent the nodes whose job did not start in time, or was refused
     */
    public record ProbeResult(
            SortedMap<String, NodeProbe> nodes, SortedMap<String, String> silent) {

        /** Rounds in which not exactly one node created the file. */
        public List<Integer> badRounds() {
            var winners = new int[ROUNDS + 1];
            nodes.values().forEach(node -> node.wins().forEach(round -> winners[round]++));
            var bad = new ArrayList<Integer>();
            for (int round = 1; round <= ROUNDS; round++) {
                if (winners[round] != 1) {
                    bad.add(round);
                }
            }
            return bad;
        }
    }

    /**
     * @param shared a directory on the path that all nodes share
     * @param patience how long a probe may wait for its start
     * @param accounts empty if the jobs belong to the user of this process
     */
    public ClusterProbe(
            SlurmClient client, Path shared, Duration patience, Optional<ProbeAccounts> accounts)
            throws IOException, InterruptedException {
        this.client = client;
        this.patience = patience;
        this.accounts = accounts;
        if (accounts.isPresent()) {
            this.directory = shared.resolve(".probe-" + UUID.randomUUID());
            asServer("mkdir", "--mode=" + OPEN_MODE, directory.toString());
        } else {
            Files.createDirectories(shared);
            this.directory = Files.createTempDirectory(shared, ".probe-");
        }
    }

    private void asServer(String... command) throws IOException, InterruptedException {
        var builder = UserSwitch.builder(accounts.orElseThrow().server(), List.of(command));
        switch (ProgramRun.await(builder.redirectErrorStream(true).start(), FILE_LIMITS)) {
            case ProgramRun.Result.Ended(int status, _, _, _) when status == 0 -> {}
            case ProgramRun.Result.Ended(_, var text, _, _) -> throw new IOException(text.strip());
            case ProgramRun.Result.TimedOut _ -> throw new IOException("does not answer");
        }
    }

    private static String resource() {
        try (var in = Objects.requireNonNull(ClusterProbe.class.getResourceAsStream("probe.sh"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException("the resource probe.sh", failure);
        }
    }

    public ProbeResult run(List<String> hosts) throws IOException, InterruptedException {
        var silent = new TreeMap<String, String>();
        var jobs = new TreeMap<String, String>();
        try {
            var script = directory.resolve("probe.sh");
            Files.writeString(script, text(), StandardOpenOption.CREATE_NEW);
            for (var host : hosts) {
                try {
                    jobs.put(host, client.submit(script, options(host), owner()));
                } catch (SlurmFailure failure) {
                    silent.put(host, failure.reason());
                }
            }
            var ready = await("ready", jobs.keySet());
            jobs.keySet().stream()
                    .filter(host -> !ready.containsKey(host))
                    .forEach(host -> silent.put(host, "no job started there in time"));
            var echoes = echoes(ready.keySet());
            Files.createFile(directory.resolve("begin"));
            var wins = await("wins", ready.keySet());
            var nodes = new TreeMap<String, NodeProbe>();
            ready.forEach(
                    (host, found) ->
                            nodes.put(
                                    host,
                                    probe(
                                            found.text(),
                                            Optional.ofNullable(echoes.get(host)),
                                            Optional.ofNullable(wins.get(host))
                                                    .map(Seen::text)
                                                    .orElse(""))));
            return new ProbeResult(nodes, silent);
        } finally {
            jobs.values().forEach(this::cancel);
            delete();
        }
    }

    private Optional<JobOwner> owner() {
        return accounts.map(ProbeAccounts::job);
    }

    private void cancel(String job) {
        try {
            client.cancel(job, "berth-probe", owner());
        } catch (SlurmFailure failure) {
            log.debug("the probe {} ends by its time limit: {}", job, failure.reason());
        }
    }

    private SortedMap<String, Duration> echoes(Set<String> hosts)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Files.createFile(directory.resolve("echo"));
        var echoes = new TreeMap<String, Duration>();
        await("echoed", hosts)
                .forEach((host, seen) -> echoes.put(host, Duration.ofNanos(seen.at() - begin)));
        return echoes;
    }

    private record Seen(String text, long at) {}

    private SortedMap<String, Seen> await(String name, Set<String> hosts)
            throws IOException, InterruptedException {
        var found = new TreeMap<String, Seen>();
        long end = System.nanoTime() + patience.toNanos();
        while (found.size() < hosts.size() && System.nanoTime() < end) {
            for (var host : hosts) {
                if (!found.containsKey(host)) {
                    read(name + "." + host)
                            .ifPresent(text -> found.put(host, new Seen(text, System.nanoTime())));
                }
            }
            LockSupport.parkNanos(PAUSE.toNanos());
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return found;
    }

    /** Any user may have put something else there. */
    private Optional<String> read(String name) throws IOException {
        try {
            var bytes = RegularFile.readStart(directory.resolve(name), MAX_BYTES);
            return Optional.of(new String(bytes, StandardCharsets.UTF_8).strip());
        } catch (NoSuchFileException notYet) {
            return Optional.empty();
        }
    }

    private static NodeProbe probe(String ready, Optional<Duration> echo, String wins) {
        var words = List.of(ready.split(" "));
        var rounds =
                Arrays.stream(wins.split(" "))
                        .filter(word -> !word.isEmpty())
                        .map(Integer::valueOf)
                        .toList();
        return new NodeProbe(
                words.get(0),
                new TreeSet<>(words.subList(2, words.size())),
                Integer.parseInt(words.get(1)),
                echo,
                rounds);
    }

    private static List<String> options(String host) {
        return List.of(
                "--job-name=berth-probe",
                "--nodelist=" + host,
                "--nodes=1",
                "--ntasks=1",
                "--time=1",
                "--output=/dev/null",
                "--chdir=/");
    }

    private String text() {
        return "#!/usr/bin/env bash\nberth_dir="
                + ShimScript.quoted(directory.toString())
                + "\nberth_rounds="
                + ROUNDS
                + "\nberth_seconds="
                + patience.toSeconds()
                + "\n"
                + BODY;
    }

    private void delete() throws IOException, InterruptedException {
        if (accounts.isPresent()) {
            asServer("rm", "-rf", "--", directory.toString());
            return;
        }
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
