package dev.berth.app;

import dev.berth.cli.call.CliVersion;
import dev.berth.node.gpu.GpuSource;
import dev.berth.node.linux.LocalAccounts;
import dev.berth.nodeprocess.InvalidNodeConfig;
import dev.berth.nodeprocess.NodeConfig;
import dev.berth.nodeprocess.NodeProcess;
import dev.berth.nodesocket.PeerUser;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Starts the node of a machine in this process. */
final class NodeStart {

    private NodeStart() {}

    /**
     * @param config the node's configuration file; may be missing
     * @param gpus instead of the configured source
     * @param serverUser instead of the configured account
     */
    record Request(
            SystemPaths paths,
            Path config,
            Optional<GpuSource> gpus,
            Optional<String> serverUser,
            boolean isQuiet) {}

    /** A node, and the account of its server. */
    record RunningNode(NodeProcess process, ServerAccount server) implements AutoCloseable {
        @Override
        public void close() throws IOException, InterruptedException {
            process.close();
        }
    }

    static RunningNode start(Request request, NodeProcess.Listener listener)
            throws IOException, InvalidNodeConfig {
        var read = NodeConfig.read(request.config(), request.gpus());
        var config = request.serverUser().map(read::withServerUser).orElse(read);
        var directories = request.paths().node();
        var accounts = new LocalAccounts();
        var server = ServerAccount.find(config.serverUser(), accounts);
        directories.create(PeerUser.named(server.user()), server.group());
        LogSetup.start(directories.logs().resolve("node.log"), request.isQuiet());
        var process =
                NodeProcess.start(
                        new NodeProcess.Parts(
                                directories,
                                config,
                                CliVersion.CURRENT,
                                accounts,
                                FileFailpoints.ofThisProcess(),
                                listener));
        return new RunningNode(process, server);
    }
}
