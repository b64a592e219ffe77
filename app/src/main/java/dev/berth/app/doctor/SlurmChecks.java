package dev.berth.app.doctor;

import dev.berth.config.Configuration;
import dev.berth.config.Configuration.SlurmConfig;
import dev.berth.node.process.SearchPath;
import dev.berth.port.read.Accounts.Account;
import dev.berth.slurm.ClusterProbe;
import dev.berth.slurm.ClusterState;
import dev.berth.slurm.SlurmClient;
import dev.berth.slurm.SlurmFailure;
import dev.berth.slurm.SlurmNode;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The checks of a Slurm cluster.
 *
 * @param user as which jobs run, as {@code id} prints it on this host
 * @param accounts for whom a server of the machine runs jobs; empty for a home of one user
 */
record SlurmChecks(
        Configuration config,
        SlurmClient client,
        Identity user,
        Optional<ClusterProbe.ProbeAccounts> accounts) {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String CHECK = "slurm";
    private static final String SHARED = "shared path";
    private static final String NODES = "nodes";

    record Identity(String uid, SortedSet<String> groups) {

        /** The user of this process. */
        static Identity own(SearchPath programs) throws InterruptedException {
            var groups = new TreeSet<>(List.of(id(programs, "-G").split(" ")));
            return new Identity(id(programs, "-u"), groups);
        }

        static Identity of(Account account) {
            var groups = new TreeSet<String>();
            account.gids().forEach(gid -> groups.add(Integer.toUnsignedString(gid)));
            return new Identity(Integer.toUnsignedString(account.uid()), groups);
        }

        private static String id(SearchPath programs, String option) throws InterruptedException {
            var program = programs.orDefault().find("id");
            return program.isPresent()
                            && ProgramOutput.run(program.get(), option)
                                    instanceof ProgramOutput.ProgramResult.Succeeded(var text)
                    ? text
                    : "unknown";
        }
    }

    List<DoctorFinding> all() throws InterruptedException {
        var findings = new ArrayList<DoctorFinding>();
        try {
            var settings = client.settings();
            findings.add(
                    DoctorFinding.ok(
                            CHECK, "the controller answers, version " + settings.version()));
            findings.add(tracking(settings.processTracking()));
            if (settings.hidesJobs()) {
                findings.add(hidden());
            }
            var nodes = client.nodes();
            findings.addAll(state(nodes));
            findings.addAll(probes(nodes));
        } catch (SlurmFailure failure) {
            findings.add(
                    DoctorFinding.wrong(
                            CHECK,
                            failure.reason(),
                            "run berth on a login node of the cluster; sinfo must work there"));
        }
        return findings;
    }

    private static DoctorFinding tracking(String plugin) {
        return plugin.contains("cgroup")
                ? DoctorFinding.ok("tracking", plugin)
                : DoctorFinding.wrong(
                        "tracking",
                        plugin + ": a process that leaves its session survives the end of its job",
                        "set ProctrackType=proctrack/cgroup in slurm.conf");
    }

    private DoctorFinding hidden() {
        return DoctorFinding.note(
                CHECK,
                "PrivateData=jobs: "
                        + (accounts.isPresent()
                                ? "root's half lists the jobs of each user as that user; "
                                : "Slurm shows you only your own jobs, which is enough; ")
                        + "who uses the other GPUs is not shown");
    }

    /** What Slurm has wrong, or a person took out of use. */
    private List<DoctorFinding> state(List<SlurmNode> nodes) throws SlurmFailure {
        var findings = new ArrayList<DoctorFinding>();
        var bySlurm = ClusterState.drainedBySlurm(nodes);
        for (var node : nodes) {
            var detail =
                    node.name()
                            + " is "
                            + node.state()
                            + node.reason().map(why -> ": " + why).orElse("");
            if (bySlurm.contains(node)) {
                findings.add(
                        DoctorFinding.wrong(
                                NODES,
                                detail,
                                healing(
                                        "scontrol update nodename="
                                                + node.name()
                                                + " state=resume")));
            } else if (!node.isUsable()) {
                findings.add(DoctorFinding.note(NODES, detail));
            }
        }
        var booked = ClusterState.bookedWithoutJob(nodes);
        if (!booked.isEmpty()) {
            findings.add(
                    DoctorFinding.wrong(
                            NODES,
                            "GPUs of " + String.join(", ", booked) + " are booked without a job",
                            healing("scontrol reconfigure")));
        }
        var over =
                ClusterState.jobsThatAreOver(client.jobs(new TreeSet<>()), config.tasksDirectory());
        if (!over.isEmpty()) {
            findings.add(
                    DoctorFinding.wrong(
                            NODES,
                            "Slurm calls jobs running that are over: " + String.join(", ", over),
                            "start the server, which cancels them, or use scancel"));
        }
        long usable = nodes.stream().filter(SlurmNode::isUsable).count();
        findings.addFirst(
                usable > 0
                        ? DoctorFinding.ok(NODES, usable + " of " + nodes.size() + " take jobs")
                        : DoctorFinding.wrong(NODES, "no node takes jobs", "see sinfo -R"));
        return findings;
    }

    private String healing(String command) {
        boolean isHealing = config.slurm().filter(SlurmConfig::isHealing).isPresent();
        return (isHealing
                        ? "the server mends it if its user is a Slurm operator; "
                        : "set slurm.heal: true, or ")
                + "run "
                + command;
    }

    private List<DoctorFinding> probes(List<SlurmNode> nodes) throws InterruptedException {
        var hosts = nodes.stream().filter(SlurmNode::isUsable).map(SlurmNode::name).toList();
        var shared =
                accounts.flatMap(_ -> config.slurm().flatMap(SlurmConfig::sharedDir))
                        .orElse(config.tasksDirectory());
        try {
            var result = new ClusterProbe(client, shared, PATIENCE, accounts).run(hosts);
            var findings = new ArrayList<DoctorFinding>();
            result.nodes().forEach((host, probe) -> findings.add(seen(host, probe, nodes)));
            result.silent().forEach((host, why) -> findings.add(silent(host, why, shared)));
            if (!result.nodes().isEmpty()) {
                findings.add(start(result));
            }
            return findings;
        } catch (IOException failure) {
            return List.of(
                    DoctorFinding.wrong(
                            SHARED,
                            shared + ": " + failure,
                            "set slurm.shared_dir to a directory that "
                                    + accounts.map(all -> all.server().name()).orElse("you")
                                    + " can write"));
        }
    }

    private static DoctorFinding silent(String host, String why, Path shared) {
        return DoctorFinding.wrong(
                SHARED,
                host + ": " + why,
                "the node may be full: try again; else check that jobs there can write " + shared);
    }

    private DoctorFinding seen(String host, ClusterProbe.NodeProbe probe, List<SlurmNode> nodes) {
        if (!probe.uid().equals(user.uid()) || !probe.groups().equals(user.groups())) {
            return DoctorFinding.wrong(
                    SHARED,
                    host
                            + ": jobs run as user "
                            + probe.uid()
                            + " with groups "
                            + String.join(",", probe.groups())
                            + ", here it is "
                            + user.uid()
                            + " with "
                            + String.join(",", user.groups()),
                    "users and groups must be the same on all nodes");
        }
        if (probe.echo().isEmpty()) {
            return DoctorFinding.wrong(
                    SHARED,
                    host + ": a file that was created here was not seen there",
                    "mount the shared path without long caching (actimeo)");
        }
        int gpus =
                nodes.stream()
                        .filter(node -> node.name().equals(host))
                        .mapToInt(SlurmNode::gpuCount)
                        .sum();
        return DoctorFinding.ok(
                SHARED,
                host
                        + ": there and back in "
                        + probe.echo().get().toMillis()
                        + " ms, user "
                        + probe.uid()
                        + ", groups "
                        + String.join(",", probe.groups())
                        + ", "
                        + gpus
                        + " GPU(s)"
                        + (probe.gpus() > 0 ? ", the driver shows " + probe.gpus() : ""));
    }

    /** At most one process may get the right to start a task. */
    private static DoctorFinding start(ClusterProbe.ProbeResult result) {
        var bad = result.badRounds();
        int nodes = result.nodes().size();
        return bad.isEmpty()
                ? DoctorFinding.ok(
                        "start",
                        nodes
                                + " node(s) created one file at once, "
                                + ClusterProbe.ROUNDS
                                + " times: exactly one succeeded each time")
                : DoctorFinding.wrong(
                        "start",
                        "in "
                                + bad.size()
                                + " of "
                                + ClusterProbe.ROUNDS
                                + " rounds not exactly one node could create the file",
                        "do not use this path: tasks could start twice. It needs O_EXCL, as NFS 3"
                                + " and newer have it");
    }
}
