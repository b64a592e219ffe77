package dev.berth.app.simulate;

import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.SafeText;
import dev.berth.simulator.cluster.ClusterText;
import dev.berth.simulator.cluster.Node;
import dev.berth.simulator.cluster.Placement;
import dev.berth.simulator.replay.Policy;
import dev.berth.simulator.replay.PolicyChoice;
import dev.berth.simulator.trace.InvalidInput;
import dev.berth.simulator.trace.RowFilter;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The options of {@code berth simulate}, checked.
 *
 * @param trace the file, or null for the history of the server
 * @param nodesFile the file with the nodes, or null
 * @param nodes without a file; empty if only the history tells
 * @param virtualClusters empty if all jobs share the nodes
 */
record SimulateOptions(
        @Nullable String trace,
        OptionalInt sinceSeconds,
        List<RowFilter> filters,
        @Nullable String nodesFile,
        List<Node> nodes,
        Map<String, List<Node>> virtualClusters,
        Placement placement,
        List<PolicyChoice> policies) {

    private static final String DEFAULT_POLICIES = "fifo,sjf,easy";
    private static final String DEFAULT_POLICIES_OF_HISTORY = "berth,fifo,sjf,easy";

    /**
     * @throws UsageError an option is invalid, or options exclude each other
     */
    static SimulateOptions parse(ParsedOptions options) {
        var virtualClusters = virtualClusters(options);
        checkNodes(options, virtualClusters);
        var parsed =
                new SimulateOptions(
                        trace(options),
                        since(options),
                        filters(options),
                        options.value(SimulateCommand.NODES),
                        virtualClusters.isEmpty() ? nodes(options) : List.of(),
                        virtualClusters,
                        placement(options),
                        policies(options));
        if (options.has(SimulateCommand.STARTS) && !options.has(SimulateCommand.JSON)) {
            throw new UsageError("--starts needs --json");
        }
        parsed.checkPlacement();
        return parsed;
    }

    private void checkPlacement() {
        if (placement != Placement.COUNT
                && policies.stream().anyMatch(choice -> choice.policy() == Policy.BERTH)) {
            throw new UsageError(
                    "--policy berth needs --placement count: a server of Berth has the GPUs of one"
                            + " machine");
        }
    }

    private static @Nullable String trace(ParsedOptions options) {
        var trace = options.value(SimulateCommand.TRACE);
        if (options.has(SimulateCommand.HISTORY) == (trace != null)) {
            throw new UsageError("give the jobs: either --trace FILE or --history");
        }
        return trace;
    }

    private static OptionalInt since(ParsedOptions options) {
        var given = options.value(SimulateCommand.SINCE);
        if (given == null) {
            return OptionalInt.empty();
        }
        var seconds = AmountParser.seconds(given);
        if (!options.has(SimulateCommand.HISTORY) || seconds.isEmpty()) {
            throw new UsageError("--since is a time such as 30d, with --history");
        }
        return seconds;
    }

    private static List<RowFilter> filters(ParsedOptions options) {
        var filters = new ArrayList<RowFilter>();
        for (var text : options.values(SimulateCommand.FILTER)) {
            int equals = text.indexOf('=');
            if (equals < 1 || options.has(SimulateCommand.HISTORY)) {
                throw new UsageError(
                        "--filter is COLUMN=VALUE of a trace, not " + SafeText.line(text));
            }
            filters.add(new RowFilter(text.substring(0, equals), text.substring(equals + 1)));
        }
        return filters;
    }

    private static void checkNodes(ParsedOptions options, Map<String, List<Node>> virtual) {
        boolean hasFile = options.has(SimulateCommand.NODES);
        boolean hasCluster = options.has(SimulateCommand.CLUSTER);
        if (!virtual.isEmpty() && hasFile) {
            throw new UsageError("--vc-nodes and --nodes exclude each other");
        }
        boolean isMissing = !hasFile && !hasCluster && !options.has(SimulateCommand.HISTORY);
        if (virtual.isEmpty() && (isMissing || (hasFile && hasCluster))) {
            throw new UsageError("give the nodes: either --cluster NODESxGPUS or --nodes FILE");
        }
    }

    /** Empty if there is no {@code --cluster}. */
    private static List<Node> nodes(ParsedOptions options) {
        var cluster = options.value(SimulateCommand.CLUSTER);
        return cluster == null
                ? List.of()
                : usable(SimulateCommand.CLUSTER, () -> ClusterText.nodes(cluster));
    }

    private static Map<String, List<Node>> virtualClusters(ParsedOptions options) {
        var nodes = options.value(SimulateCommand.VC_NODES);
        var partition = options.value(SimulateCommand.PARTITION);
        return switch (partition == null ? (nodes == null ? "shared" : "vc") : partition) {
            case "shared" -> {
                if (nodes != null) {
                    throw new UsageError("--vc-nodes needs --partition vc");
                }
                yield Map.of();
            }
            case "vc" -> {
                if (nodes == null) {
                    throw new UsageError("--partition vc needs --vc-nodes");
                }
                // The size of all nodes for which --vc-nodes states none.
                var cluster = nodes(options);
                int gpusPerNode = cluster.isEmpty() ? 0 : cluster.getFirst().gpus();
                yield usable(
                        SimulateCommand.VC_NODES,
                        () -> ClusterText.virtualClusters(nodes, gpusPerNode));
            }
            default ->
                    throw new UsageError(
                            "--partition is shared or vc, not "
                                    + SafeText.line(String.valueOf(partition)));
        };
    }

    private static Placement placement(ParsedOptions options) {
        var given = options.value(SimulateCommand.PLACEMENT);
        return given == null
                ? Placement.COUNT
                : Placement.parse(given)
                        .orElseThrow(
                                () ->
                                        new UsageError(
                                                "--placement is count, consolidate or fractional,"
                                                        + " not "
                                                        + SafeText.line(given)));
    }

    private static List<PolicyChoice> policies(ParsedOptions options) {
        var given = options.value(SimulateCommand.POLICY);
        var names =
                given != null
                        ? given
                        : options.has(SimulateCommand.HISTORY)
                                ? DEFAULT_POLICIES_OF_HISTORY
                                : DEFAULT_POLICIES;
        var policies = new LinkedHashMap<String, PolicyChoice>();
        for (var name : names.split(",", -1)) {
            var policy = usable(SimulateCommand.POLICY, () -> PolicyChoice.parse(name.strip()));
            policies.put(policy.name(), policy);
        }
        return List.copyOf(policies.values());
    }

    @FunctionalInterface
    private interface OptionReader<T> {
        T read() throws InvalidInput;
    }

    private static <T> T usable(CommandOption option, OptionReader<T> reader) {
        try {
            return reader.read();
        } catch (InvalidInput invalid) {
            throw new UsageError(option.name() + ": " + SafeText.line(invalid.getMessage()));
        }
    }
}
