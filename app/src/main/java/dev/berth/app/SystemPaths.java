package dev.berth.app;

import dev.berth.nodeprocess.NodeDirectories;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the files of a server for the whole machine are.
 *
 * @param state contains the server's home and the node's directory
 * @param socket of the API
 * @param nodeSocket on which the node listens for the server
 */
record SystemPaths(Path state, Path socket, Path nodeSocket) {

    static final Path DEFAULT_STATE = Path.of("/var/lib/berth");
    static final Path DEFAULT_RUN = Path.of("/run/berth");
    private static final Path ETC = Path.of("/etc/berth");

    /**
     * @param socket of the API; the node's socket is beside it
     */
    static SystemPaths of(Optional<Path> state, Optional<Path> socket) {
        var directory = state.orElse(DEFAULT_STATE).toAbsolutePath().normalize();
        var usual = directory.equals(DEFAULT_STATE) ? DEFAULT_RUN : directory.resolve("run");
        var api = socket.orElse(usual.resolve("berth.sock")).toAbsolutePath().normalize();
        return new SystemPaths(directory, api, api.resolveSibling("node.sock"));
    }

    SystemPaths withNodeSocket(Path other) {
        return new SystemPaths(state, socket, other.toAbsolutePath().normalize());
    }

    NodeDirectories node() {
        return new NodeDirectories(state, nodeSocket);
    }

    Path home() {
        return state.resolve("server");
    }

    /** The node's directory, which contains the tasks. */
    Path runtime() {
        return state.resolve("node");
    }

    /** An instance elsewhere has its own configuration. */
    private Path etc() {
        return state.equals(DEFAULT_STATE) ? ETC : state;
    }

    Path nodeConfig() {
        return etc().resolve("node.conf");
    }

    /** The server's configuration, if there is such a file outside of its home. */
    Optional<Path> config() {
        return Optional.of(etc().resolve("config.yaml")).filter(Files::exists);
    }
}
