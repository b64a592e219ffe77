package dev.berth.engine;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.Node;

/** An order to the node, carried out after the commit. */
public sealed interface Effect {

    /**
     * @param order without the text of the script, which is read before the order is given
     */
    record Launch(Node.Launch order) implements Effect {}

    /** Tests whether a quarantined GPU works again. */
    record TestGpu(GpuId gpu) implements Effect {}

    /** Whether the node reads the load of the GPUs often. */
    record SampleOften(boolean isOften) implements Effect {}

    /**
     * Gives a worker a task.
     *
     * @param order without the parameters, which are read before the order is given
     */
    record Call(Node.Call order) implements Effect {}

    record Stop(AttemptId attempt) implements Effect {}

    /** Asks a cluster not to start an attempt that waits there. */
    record Withdraw(AttemptId attempt) implements Effect {}

    /** Watches this process as that of a lost attempt. */
    record Watch(AttemptId attempt, ShimProcess process) implements Effect {}

    /** A person ended the attempt. */
    record Forget(AttemptId attempt) implements Effect {}
}
