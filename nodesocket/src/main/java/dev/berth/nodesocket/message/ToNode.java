package dev.berth.nodesocket.message;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.Node;

import java.time.Duration;
import java.util.Optional;

/** What a server sends. */
public sealed interface ToNode {

    /**
     * The first message.
     *
     * @param shape of all messages of both directions
     */
    record Hello(int protocol, String version, String shape) implements ToNode {}

    /** The server accepts requests at this address. */
    record Listening(String url) implements ToNode {}

    /** The server is ready for facts. */
    record Report() implements ToNode {}

    record Ask(long number, Query query) implements ToNode {}

    /** An order of {@link Node}. */
    sealed interface Order extends ToNode {}

    record Launch(Node.Launch order) implements Order {}

    record Adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey)
            implements Order {}

    record Call(Node.Call order) implements Order {}

    record Stop(AttemptId attempt) implements Order {}

    record Watch(AttemptId attempt, ShimProcess process) implements Order {}

    record Forget(AttemptId attempt) implements Order {}

    record TestGpu(GpuId gpu) implements Order {}

    record SampleGpusOften(boolean isOften) implements Order {}
}
