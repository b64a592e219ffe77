package dev.berth.simulator.cluster;

import dev.berth.simulator.trace.CsvRow;
import dev.berth.simulator.trace.CsvTable;
import dev.berth.simulator.trace.InvalidInput;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Reads a list of nodes with cores, host memory and GPU model. One row is one node, or as many
 * equal ones as its column {@code count} says.
 */
public final class NodeList {

    private static final long MOST = 1L << 40;
    private static final int MOST_NODES = 100_000;
    private static final int MOST_GPUS_OF_NODE = 1024;

    private NodeList() {}

    /**
     * @param file CSV with the columns {@code cpu_milli}, {@code memory_mib}, {@code gpu}, {@code
     *     model}, and if need be {@code count}
     */
    public static List<Node> read(Path file) throws IOException, InvalidInput {
        var nodes = new ArrayList<Node>();
        CsvTable.read(file, row -> add(row, nodes));
        if (nodes.isEmpty()) {
            throw new InvalidInput(file.getFileName() + ": there is no node");
        }
        return nodes;
    }

    private static void add(CsvRow row, List<Node> nodes) throws InvalidInput {
        var node =
                new Node(
                        (int) row.whole(first(row, "gpu", "gpus"), 0, MOST_GPUS_OF_NODE),
                        row.whole("cpu_milli", 0, MOST),
                        row.whole(first(row, "memory_mib", "mem_mb"), 0, MOST),
                        row.text("model"));
        int count = row.has("count") ? (int) row.whole("count", 1, MOST_NODES) : 1;
        if (nodes.size() + count > MOST_NODES) {
            throw new InvalidInput(row.place() + ": more than " + MOST_NODES + " nodes");
        }
        nodes.addAll(Collections.nCopies(count, node));
    }

    private static String first(CsvRow row, String name, String otherName) {
        return row.has(otherName) ? otherName : name;
    }
}
