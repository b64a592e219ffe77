package dev.berth.simulator.cluster;

import dev.berth.simulator.trace.InvalidInput;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads nodes from options such as {@code 231x8+321x2} and {@code vc1=64x8,vc2=8x8}. */
public final class ClusterText {

    private static final int MOST_NODES = 100_000;
    private static final int MOST_GPUS_OF_NODE = 1024;

    private ClusterText() {}

    /** Groups of equal nodes: {@code NODESxGPUS}, several with {@code +} between them. */
    public static List<Node> nodes(String text) throws InvalidInput {
        var nodes = new ArrayList<Node>();
        for (var group : text.split("\\+", -1)) {
            var parts = group.split("x", -1);
            if (parts.length != 2) {
                throw new InvalidInput("not NODESxGPUS, such as 4x8 or 231x8+321x2: " + text);
            }
            int count = number(parts[0], MOST_NODES, text);
            int gpus = number(parts[1], MOST_GPUS_OF_NODE, text);
            if (nodes.size() + count > MOST_NODES) {
                throw new InvalidInput("more than " + MOST_NODES + " nodes: " + text);
            }
            nodes.addAll(Collections.nCopies(count, Node.ofGpus(gpus)));
        }
        return nodes;
    }

    /**
     * The nodes of each virtual cluster: {@code NAME=NODES} or {@code NAME=NODESxGPUS}, with commas
     * between them.
     *
     * @param gpusPerNode where only the number of nodes is given; 0 if it must not be missing
     */
    public static Map<String, List<Node>> virtualClusters(String text, int gpusPerNode)
            throws InvalidInput {
        var clusters = new LinkedHashMap<String, List<Node>>();
        for (var entry : text.split(",", -1)) {
            int equals = entry.lastIndexOf('=');
            if (equals < 1) {
                throw new InvalidInput("not NAME=NODES or NAME=NODESxGPUS: " + entry);
            }
            var name = entry.substring(0, equals).strip();
            var nodes = entry.substring(equals + 1).strip();
            if (!nodes.contains("x") && gpusPerNode == 0) {
                throw new InvalidInput(
                        "how many GPUs have the nodes of " + name + "? Write " + entry + "x8");
            }
            var sized = nodes.contains("x") ? nodes : nodes + "x" + gpusPerNode;
            if (clusters.put(name, nodes(sized)) != null) {
                throw new InvalidInput("there is a second " + name + ": " + text);
            }
        }
        return clusters;
    }

    private static int number(String text, int most, String whole) throws InvalidInput {
        try {
            int value = Integer.parseInt(text.strip());
            if (value >= 1 && value <= most) {
                return value;
            }
        } catch (NumberFormatException _) {
            // Reported below, together with numbers out of range.
        }
        throw new InvalidInput("'" + text + "' is not a number from 1 to " + most + ": " + whole);
    }
}
