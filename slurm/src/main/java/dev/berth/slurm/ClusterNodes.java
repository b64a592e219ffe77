package dev.berth.slurm;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.port.Fact;
import dev.berth.port.read.ClusterHosts;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The hosts of the cluster and who uses their GPUs. */
public final class ClusterNodes implements ClusterHosts {

    /** The list of all running jobs is large on a large cluster. */
    private static final Duration USER_INTERVAL = Duration.ofSeconds(15);

    private final SlurmClient client;
    private final SlurmSettings settings;
    private final InstantSource clock;
    private volatile SortedMap<String, SlurmNode> nodes = new TreeMap<>();
    private volatile SortedMap<String, List<ForeignJob>> jobs = new TreeMap<>();
    private Instant nextJobs = Instant.MIN;
    private final Map<String, List<GpuState>> reported = new TreeMap<>();

    ClusterNodes(SlurmClient client, SlurmSettings settings, InstantSource clock) {
        this.client = client;
        this.settings = settings;
        this.clock = clock;
    }

    public List<SlurmNode> all() {
        return List.copyOf(nodes.values());
    }

    @Override
    public List<ClusterHost> hosts() {
        return nodes.values().stream()
                .map(
                        node ->
                                new ClusterHost(
                                        node.name(),
                                        node.state(),
                                        node.isUsable(),
                                        node.reason(),
                                        node.gpus().stream()
                                                .map(group -> group.count() + " x " + group.type())
                                                .toList(),
                                        node.gpuCount(),
                                        node.usedGpus().size(),
                                        jobsOn(node.name()).stream()
                                                .map(ForeignJob::user)
                                                .distinct()
                                                .sorted()
                                                .toList()))
                .toList();
    }

    /** The running jobs on a host, Berth's own included. */
    public List<ForeignJob> jobsOn(String host) {
        return jobs.getOrDefault(host, List.of());
    }

    /** The gres types of the cluster. */
    SortedSet<String> types() {
        var types = new TreeSet<String>();
        nodes.values().forEach(node -> node.gpus().forEach(group -> types.add(group.type())));
        return types;
    }

    Gpu gpu(String host, int index) {
        var type =
                Optional.ofNullable(nodes.get(host)).map(node -> node.typeOf(index)).orElse("gpu");
        return new Gpu(
                new GpuId(host, host + ":" + index),
                index,
                type,
                settings.gpuMemoryMib().getOrDefault(type, 0L));
    }

    /**
     * Reads the hosts.
     *
     * @param held the GPUs of Berth's attempts
     * @return readings that differ from the last ones
     */
    List<Fact> read(Map<GpuId, AttemptId> held) throws SlurmFailure {
        var found = new TreeMap<String, SlurmNode>();
        client.nodes().forEach(node -> found.put(node.name(), node));
        nodes = found;
        if (!clock.instant().isBefore(nextJobs)) {
            nextJobs = clock.instant().plus(USER_INTERVAL);
            var byHost = new TreeMap<String, List<ForeignJob>>();
            for (var job : client.runningJobs()) {
                byHost.computeIfAbsent(job.host(), _ -> new ArrayList<>()).add(job);
            }
            jobs = byHost;
        }
        var facts = new ArrayList<Fact>();
        for (var node : found.values()) {
            var states = states(node, held);
            if (!states.equals(reported.get(node.name()))) {
                reported.put(node.name(), states);
                facts.add(new Fact.GpusRead(node.name(), states));
            }
        }
        return facts;
    }

    private List<GpuState> states(SlurmNode node, Map<GpuId, AttemptId> held) {
        var states = new ArrayList<GpuState>();
        for (int index = 0; index < node.gpuCount(); index++) {
            var gpu = gpu(node.name(), index);
            states.add(
                    node.isUsable() || node.usedGpus().contains(index)
                            ? new GpuState.Readable(gpu, reading(node, gpu, held))
                            : new GpuState.Unknown(gpu, describe(node)));
        }
        return states;
    }

    private static String describe(SlurmNode node) {
        return "node "
                + node.name()
                + " is "
                + node.state()
                + node.reason().map(why -> ": " + why).orElse("");
    }

    /** Slurm reports neither memory nor load. */
    private GpuReading reading(SlurmNode node, Gpu gpu, Map<GpuId, AttemptId> held) {
        var processes = new ArrayList<GpuProcess>();
        var own = held.get(gpu.id());
        if (own != null) {
            processes.add(process("slurm", new ProcessOwner.BerthAttempt(own)));
        } else if (node.usedGpus().contains(gpu.index())) {
            var users = new TreeSet<String>();
            jobsOn(node.name()).forEach(job -> users.add(job.user()));
            processes.add(
                    process(
                            "slurm",
                            users.isEmpty()
                                    ? new ProcessOwner.Unknown()
                                    : new ProcessOwner.HostUser(String.join(", ", users), false)));
        }
        return new GpuReading(
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.of(processes));
    }

    private static GpuProcess process(String program, ProcessOwner owner) {
        return new GpuProcess(
                0, OptionalLong.empty(), GpuProcess.Kind.COMPUTE, program, owner, Optional.empty());
    }
}
