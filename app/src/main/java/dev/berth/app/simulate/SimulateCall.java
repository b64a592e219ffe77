package dev.berth.app.simulate;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.call.ParsedOptions;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.client.ServerConnection;
import dev.berth.cli.text.SafeText;
import dev.berth.simulator.Experiment;
import dev.berth.simulator.Experiment.Outcome;
import dev.berth.simulator.chart.ComparisonChart;
import dev.berth.simulator.cluster.Node;
import dev.berth.simulator.cluster.NodeList;
import dev.berth.simulator.replay.Schedule;
import dev.berth.simulator.trace.InvalidInput;
import dev.berth.simulator.trace.TraceFile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One call of {@code berth simulate}.
 *
 * @param source the name of the trace
 * @param recorded what happened in reality, or null for a trace
 * @param svg where to draw, or null
 */
record SimulateCall(
        String source,
        Experiment experiment,
        SimulateOptions options,
        @Nullable Schedule recorded,
        boolean isJson,
        boolean hasStarts,
        @Nullable Path svg) {

    static SimulateCall of(SimulateOptions options, ParsedOptions given, CallContext context)
            throws IOException, InvalidInput {
        var svg = given.value(SimulateCommand.SVG);
        var nodes = nodes(options, context);
        var trace = options.trace();
        var history = trace == null ? history(options, given, context) : null;
        if (history != null && nodes.isEmpty()) {
            nodes = List.of(Node.ofGpus(history.gpus()));
        }
        var jobs =
                history != null
                        ? history.jobs()
                        : TraceFile.read(
                                readable(String.valueOf(trace), context), options.filters());
        if (jobs.isEmpty()) {
            throw new InvalidInput(
                    options.filters().isEmpty()
                            ? "the trace has no jobs"
                            : "no job of the trace passes the filter");
        }
        return new SimulateCall(
                trace == null ? "history" : String.valueOf(Path.of(trace).getFileName()),
                new Experiment(jobs, options.placement(), nodes, options.virtualClusters()),
                options,
                history == null ? null : history.recorded(),
                given.has(SimulateCommand.JSON),
                given.has(SimulateCommand.STARTS),
                svg == null ? null : path(svg, context));
    }

    private static HomeHistory history(
            SimulateOptions options, ParsedOptions given, CallContext context) {
        try (var server = ServerConnection.open(given, context)) {
            long sinceS =
                    options.sinceSeconds().isEmpty()
                            ? 0
                            : context.clock().now().getEpochSecond()
                                    - options.sinceSeconds().getAsInt();
            return HomeHistory.read(server, sinceS);
        }
    }

    private static List<Node> nodes(SimulateOptions options, CallContext context)
            throws IOException, InvalidInput {
        var file = options.nodesFile();
        return file == null ? options.nodes() : NodeList.read(readable(file, context));
    }

    void run(CallContext context) {
        var outcomes = new LinkedHashMap<String, Outcome>();
        if (recorded != null) {
            outcomes.put("recorded", new Outcome(recorded, Map.of()));
        }
        for (var policy : options.policies()) {
            outcomes.put(policy.name(), experiment.run(policy));
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

    private String chart(Map<String, Outcome> outcomes) {
        var schedules = new LinkedHashMap<String, Schedule>();
        outcomes.forEach((name, outcome) -> schedules.put(name, outcome.whole()));
        var last = schedules.sequencedValues().getLast();
        return ComparisonChart.draw(
                String.format(
                        Locale.ROOT,
                        "%s: %,d jobs on %,d GPUs, placement %s",
                        source,
                        last.jobs().size(),
                        last.gpus(),
                        experiment.placement().optionName()),
                schedules);
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
