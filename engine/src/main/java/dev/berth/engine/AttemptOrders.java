package dev.berth.engine;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.port.Cluster;
import dev.berth.port.Node;

import java.time.Duration;
import java.util.Optional;

/** Gives the orders about attempts to the cluster that runs them, or else to the node. */
record AttemptOrders(Node node, Optional<Cluster> cluster) {

    void launch(Node.Launch order) {
        cluster.ifPresentOrElse(one -> one.handOver(order), () -> node.launch(order));
    }

    void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey) {
        cluster.ifPresentOrElse(
                one -> one.adopt(attempt, timeLimit, reportKey),
                () -> node.adopt(attempt, timeLimit, reportKey));
    }

    void stop(AttemptId attempt) {
        cluster.ifPresentOrElse(one -> one.stop(attempt), () -> node.stop(attempt));
    }

    void forget(AttemptId attempt) {
        cluster.ifPresentOrElse(one -> one.forget(attempt), () -> node.forget(attempt));
    }

    /** Only a cluster has attempts that wait. */
    void withdraw(AttemptId attempt) {
        cluster.ifPresent(one -> one.withdraw(attempt));
    }
}
