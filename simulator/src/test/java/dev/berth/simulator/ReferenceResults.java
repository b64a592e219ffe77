package dev.berth.simulator;

import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonParser.JsonNumber;
import dev.berth.simulator.cluster.Node;
import dev.berth.simulator.cluster.Placement;
import dev.berth.simulator.replay.Policy;
import dev.berth.simulator.trace.RowFilter;
import dev.berth.simulator.trace.TraceFile;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The experiments of {@code expected.json}, with the results of an independent simulator. */
final class ReferenceResults {

    /** One result: an experiment with a placement and a policy. */
    record Reference(
            String experiment,
            Map<String, Object> settings,
            Placement placement,
            Policy policy,
            Map<String, Object> result) {

        @Override
        public String toString() {
            return experiment + " " + placement.optionName() + " " + policy.optionName();
        }
    }

    private ReferenceResults() {}

    static List<Reference> all() throws Exception {
        var text = Files.readString(resource("expected.json"));
        var experiments = object(object(JsonParser.parse(text)).get("experiments"));
        var all = new ArrayList<Reference>();
        experiments.forEach(
                (name, experiment) -> {
                    var settings = object(experiment);
                    object(settings.get("results"))
                            .forEach(
                                    (placement, byPolicy) ->
                                            object(byPolicy)
                                                    .forEach(
                                                            (policy, result) ->
                                                                    all.add(
                                                                            new Reference(
                                                                                    name,
                                                                                    settings,
                                                                                    Placement.parse(
                                                                                                    placement)
                                                                                            .orElseThrow(),
                                                                                    Policy.parse(
                                                                                                    policy)
                                                                                            .orElseThrow(),
                                                                                    object(
                                                                                            result)))));
                });
        return all;
    }

    static Experiment experiment(Reference reference) throws Exception {
        var settings = reference.settings();
        var filters = new ArrayList<RowFilter>();
        if (settings.get("filter") != null) {
            object(settings.get("filter"))
                    .forEach((key, value) -> filters.add(new RowFilter(key, value.toString())));
        }
        var jobs = TraceFile.read(resource(String.valueOf(settings.get("trace"))), filters);
        var cluster = object(settings.get("cluster"));
        var virtual = new LinkedHashMap<String, List<Node>>();
        if (cluster.get("vc_nodes") != null) {
            object(cluster.get("vc_nodes"))
                    .forEach(
                            (name, count) ->
                                    virtual.put(
                                            name, equalNodes(count, cluster.get("gpus_per_node"))));
        }
        return new Experiment(jobs, reference.placement(), nodes(cluster), virtual);
    }

    private static List<Node> nodes(Map<String, Object> cluster) {
        if (cluster.get("node_list") instanceof List<?> list) {
            return list.stream().flatMap(row -> kind((List<?>) row).stream()).toList();
        }
        return cluster.containsKey("nodes")
                ? equalNodes(cluster.get("nodes"), cluster.get("gpus_per_node"))
                : List.of();
    }

    private static List<Node> kind(List<?> row) {
        var node =
                new Node(
                        number(row.get(2)),
                        number(row.get(0)),
                        number(row.get(1)),
                        String.valueOf(row.get(3)));
        return Collections.nCopies(number(row.get(4)), node);
    }

    private static List<Node> equalNodes(Object count, Object gpus) {
        return Collections.nCopies(number(count), Node.ofGpus(number(gpus)));
    }

    private static int number(Object value) {
        return Integer.parseInt(((JsonNumber) value).text());
    }

    @SuppressWarnings("unchecked") // Every object of this file has texts as keys.
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    static Path resource(String name) throws Exception {
        URI uri = Objects.requireNonNull(ReferenceResults.class.getResource(name)).toURI();
        return Path.of(uri);
    }
}
