package dev.berth.app.simulate;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.SafeText;
import dev.berth.simulator.Experiment;
import dev.berth.simulator.chart.ComparisonChart;
import dev.berth.simulator.cluster.ClusterText;
import dev.berth.simulator.cluster.Node;
import dev.berth.simulator.cluster.NodeList;
import dev.berth.simulator.cluster.Placement;
import dev.berth.simulator.replay.Policy;
import dev.berth.simulator.replay.Schedule;
import dev.berth.simulator.trace.InvalidInput;
import dev.berth.simulator.trace.RowFilter;
import dev.berth.simulator.trace.TraceFile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One call of {@code berth simulate}.
 *
 * @param source the name of the trace
 * @param svg where to draw, or null
 */
record SimulateCall(
        String source,
        Experiment experiment,
        List<Policy> policies,
        boolean isJson,
        boolean hasStarts,
        @Nullable Path svg) {

    private static final String DEFAULT_POLICIES = "fifo,sjf,easy";

    static SimulateCall of(ParsedOptions options, CallContext context)
            throws IOException, InvalidInput {
        var policies = policies(options);
        var placement = placement(options);
        var svg = options.value(SimulateCommand.SVG);
        if (options.has(SimulateCommand.STARTS) && !options.has(SimulateCommand.JSON)) {
            throw new UsageError("--starts needs --json");
        }
        var virtualClusters = virtualClusters(options);
        var nodes = virtualClusters.isEmpty() ? nodes(options, context) : List.<Node>of();
        var trace = required(SimulateCommand.TRACE, options);
        var jobs = TraceFile.read(readable(trace, context), filters(options));
        if (jobs.isEmpty()) {
            throw new InvalidInput(
                    options.has(SimulateCommand.FILTER)
                            ? "no job of the trace passes the filter"
                            : "the trace has no jobs");
        }
        return new SimulateCall(
                String.valueOf(Path.of(trace).getFileName()),
                new Experiment(jobs, placement, nodes, virtualClusters),
                policies,
                options.has(SimulateCommand.JSON),
                options.has(SimulateCommand.STARTS),
                svg == null ? null : path(svg, context));
    }

    void run(CallContext context) throws IOException {
        var outcomes = new LinkedHashMap<String, Experiment.Outcome>();
        for (var policy : policies) {
            outcomes.put(policy.optionName(), experiment.run(policy));
        }
        if (isJson) {
            context.out().println(new OutcomeJson(experiment, hasStarts).write(outcomes));
        } else {
            context.out().print(OutcomeTable.of(outcomes).render(0, context.usesColours()));
            context.out().print(OutcomeTable.hashes(outcomes));
        }
        if (svg != null) {
            write(svg, chart(outcomes));
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException failed) {
            throw new CommandFailure("cannot write " + SafeText.line(file.toString()));
        }
    }

    private String chart(Map<String, Experiment.Outcome> outcomes) {
        var schedules = new LinkedHashMap<String, Schedule>();
        outcomes.forEach((name, outcome) -> schedules.put(name, outcome.whole()));
        var any = schedules.values().iterator().next();
        return ComparisonChart.draw(
                String.format(
                        Locale.ROOT,
                        "%s: %,d jobs on %,d GPUs, placement %s",
                        source,
                        any.jobs().size(),
                        any.gpus(),
                        experiment.placement().optionName()),
                schedules);
    }

    private static List<Policy> policies(ParsedOptions options) {
        var given = options.value(SimulateCommand.POLICY);
        var policies = new ArrayList<Policy>();
        for (var name : (given == null ? DEFAULT_POLICIES : given).split(",", -1)) {
            var policy =
                    Policy.parse(name.strip())
                            .orElseThrow(
                                    () ->
                                            new UsageError(
                                                    "--policy is one of "
                                                            + String.join(
                                                                    ", ", Policy.optionNames())
                                                            + ", not "
                                                            + SafeText.line(name)));
            if (!policies.contains(policy)) {
                policies.add(policy);
            }
        }
        return policies;
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

    /** Empty if all jobs share the nodes. */
    private static Map<String, List<Node>> virtualClusters(ParsedOptions options) {
        var nodes = options.value(SimulateCommand.VC_NODES);
        var partition = options.value(SimulateCommand.PARTITION);
        switch (partition == null ? (nodes == null ? "shared" : "vc") : partition) {
            case "shared" -> {
                if (nodes != null) {
                    throw new UsageError("--vc-nodes needs --partition vc");
                }
                return Map.of();
            }
            case "vc" -> {
                if (nodes == null) {
                    throw new UsageError("--partition vc needs --vc-nodes");
                }
                if (options.has(SimulateCommand.NODES)) {
                    throw new UsageError("--vc-nodes and --nodes exclude each other");
                }
                return usable(
                        SimulateCommand.VC_NODES,
                        () -> ClusterText.virtualClusters(nodes, gpusPerNode(options)));
            }
            default ->
                    throw new UsageError(
                            "--partition is shared or vc, not " + SafeText.line(partition));
        }
    }

    /** The size of nodes that {@code --cluster} states for all virtual clusters; 0 if none. */
    private static int gpusPerNode(ParsedOptions options) {
        var cluster = options.value(SimulateCommand.CLUSTER);
        return cluster == null
                ? 0
                : usable(SimulateCommand.CLUSTER, () -> ClusterText.nodes(cluster))
                        .getFirst()
                        .gpus();
    }

    private static List<Node> nodes(ParsedOptions options, CallContext context)
            throws IOException, InvalidInput {
        var file = options.value(SimulateCommand.NODES);
        var cluster = options.value(SimulateCommand.CLUSTER);
        if ((file == null) == (cluster == null)) {
            throw new UsageError("give the nodes: either --cluster NODESxGPUS or --nodes FILE");
        }
        return cluster == null
                ? NodeList.read(readable(String.valueOf(file), context))
                : usable(SimulateCommand.CLUSTER, () -> ClusterText.nodes(cluster));
    }

    private static List<RowFilter> filters(ParsedOptions options) {
        var filters = new ArrayList<RowFilter>();
        for (var text : options.values(SimulateCommand.FILTER)) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new UsageError("--filter is COLUMN=VALUE, not " + SafeText.line(text));
            }
            filters.add(new RowFilter(text.substring(0, equals), text.substring(equals + 1)));
        }
        return filters;
    }

    private static String required(CommandOption option, ParsedOptions options) {
        var value = options.value(option);
        if (value == null) {
            throw new UsageError("give " + option.name() + " " + option.valueName());
        }
        return value;
    }

    @FunctionalInterface
    private interface OptionReader<T> {
        T read() throws InvalidInput;
    }

    /** An invalid option, other than an invalid file, is an error of usage. */
    private static <T> T usable(CommandOption option, OptionReader<T> reader) {
        try {
            return reader.read();
        } catch (InvalidInput invalid) {
            throw new UsageError(option.name() + ": " + SafeText.line(invalid.getMessage()));
        }
    }

    private static Path readable(String name, CallContext context) {
        var file = path(name, context);
        if (!Files.exists(file)) {
            throw new CommandFailure("there is no file " + SafeText.line(name));
        }
        if (Files.isDirectory(file)) {
            throw new CommandFailure(SafeText.line(name) + " is a directory");
        }
        if (!Files.isReadable(file)) {
            throw new CommandFailure(SafeText.line(name) + " is not readable for you");
        }
        return file;
    }

    private static Path path(String name, CallContext context) {
        try {
            return context.cwd().resolve(name);
        } catch (InvalidPathException _) {
            throw new UsageError("not a file name: " + SafeText.line(name));
        }
    }
}
