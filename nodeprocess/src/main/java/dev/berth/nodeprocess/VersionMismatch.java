package dev.berth.nodeprocess;

import dev.berth.nodesocket.message.Protocol;
import dev.berth.nodesocket.message.ToNode;

import java.util.Arrays;
import java.util.Optional;

/** Compares the program of the server with that of the node. */
final class VersionMismatch {

    private VersionMismatch() {}

    /**
     * Why the two cannot work together, and which one to restart; empty if they can. After an
     * update, the one that was not restarted is the older one.
     */
    static Optional<String> between(String ours, ToNode.Hello server) {
        if (server.protocol() == Protocol.VERSION
                && server.version().equals(ours)
                && server.shape().equals(Protocol.SHAPE)) {
            return Optional.empty();
        }
        int order = compare(ours, server.version());
        var whatToDo =
                order < 0
                        ? "Restart the node: systemctl restart berth-node"
                        : order > 0
                                ? "Restart the server: systemctl restart berth"
                                : "They were built from different sources. Restart both:"
                                        + " systemctl restart berth-node berth";
        return Optional.of(
                "the node has version %s and the server has version %s. %s. Running tasks go on"
                        .formatted(ours, server.version(), whatToDo));
    }

    /** By the numbers in them. */
    private static int compare(String one, String other) {
        return Arrays.compare(numbers(one), numbers(other));
    }

    private static long[] numbers(String version) {
        return Arrays.stream(version.split("\\D+", -1))
                .filter(digits -> !digits.isEmpty() && digits.length() < Long.SIZE / 4)
                .mapToLong(Long::parseLong)
                .toArray();
    }
}
