package dev.berth.node;

import dev.berth.core.card.Card;
import dev.berth.engine.port.Node;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.Cgroups;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ShimOrder;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Writes down what an attempt is to do. Nothing has started when it is done, and nothing may. */
record Preparation(Workshop workshop, AttemptDirectory directory) {

    void prepare(Node.Launch order) throws IOException {
        var trouble = workshop.settings().commands().trouble();
        if (trouble.isPresent()) {
            throw new IOException(trouble.get());
        }
        var id = order.attempt().id();
        var spec = order.spec();
        var shim =
                new ShimOrder(
                        workshop.marker(id),
                        spec.command(),
                        Path.of(spec.workDir()),
                        spec.environment(),
                        order.cards().stream().map(Card::index).toList(),
                        List.of(),
                        failpoints(),
                        workshop.cgroup(id).map(Cgroups::entrance));
        directory.prepare(workshop.script(), shim);
    }

    static Spawner.Order spawn(Workshop workshop, AttemptDirectory directory) {
        return new Spawner.Order(
                workshop.script().start(directory),
                directory.log(),
                Optional.of(directory.pendingRecord()));
    }

    /** Inherited by the shim's script from the server, and inert without it. */
    private static Optional<Path> failpoints() {
        return Optional.ofNullable(System.getenv("BERTH_FAILPOINTS")).map(Path::of);
    }
}
