package dev.berth.server.api.node;

import dev.berth.core.gpu.GpuState;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.engine.EngineState;
import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.read.ClusterHosts;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.NodeInfo;

import java.util.List;
import java.util.TreeMap;

/** Lists the machines that run tasks: one, or the nodes of a cluster. */
public final class NodeRoutes {

    private static final RouteDoc DOC =
            RouteDoc.of("The machines that run tasks, with their GPUs and who uses them")
                    .withListResponse(200, NodeInfo.class);

    private final EngineClient engine;
    private final ClusterHosts cluster;

    public NodeRoutes(EngineClient engine, ClusterHosts cluster) {
        this.engine = engine;
        this.cluster = cluster;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PathPattern.of("/api/nodes"), AccessLevel.SERVED, DOC, this::list));
    }

    private RouteResponse list(RouteRequest call) {
        var state = engine.state();
        var hosts = cluster.hosts();
        return RouteResponse.ok(
                hosts.isEmpty()
                        ? local(state)
                        : hosts.stream().map(host -> of(host, state)).toList());
    }

    private static NodeInfo of(ClusterHosts.ClusterHost host, EngineState state) {
        return new NodeInfo(
                host.name(),
                host.state(),
                host.isUsable(),
                host.reason().orElse(null),
                host.gpuTypes(),
                host.gpus(),
                host.usedGpus(),
                tasksOn(host.name(), state),
                host.users());
    }

    private static List<Long> tasksOn(String node, EngineState state) {
        return state.attempts()
                .values()
                .filter(attempt -> attempt.node().equals(node) && !attempt.isWorker())
                .filter(attempt -> !(attempt.phase() instanceof Phase.Handed))
                .map(Attempt::id)
                .map(id -> id.task().value())
                .toList();
    }

    /** Without a cluster, the machine of the server. */
    private static List<NodeInfo> local(EngineState state) {
        var types = new TreeMap<String, Integer>();
        var gpus = state.gpus().values().map(GpuState::gpu).toList();
        gpus.forEach(gpu -> types.merge(gpu.model(), 1, Integer::sum));
        var node = gpus.isEmpty() ? "local" : gpus.getFirst().id().node();
        return List.of(
                new NodeInfo(
                        node,
                        "up",
                        true,
                        null,
                        types.entrySet().stream()
                                .map(entry -> entry.getValue() + " x " + entry.getKey())
                                .toList(),
                        gpus.size(),
                        (int) gpus.stream().filter(gpu -> state.holds().contains(gpu.id())).count(),
                        tasksOn(node, state),
                        List.of()));
    }
}
