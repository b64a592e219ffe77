package dev.berth.port.read;

import dev.berth.port.FactReceiver;
import dev.berth.port.Node;

/** A node with all that is read from it. It is in this process or in another one. */
public interface NodePorts extends Node {

    /** Sets the receiver of facts. The first facts are about the GPUs and the disk. */
    void reportTo(FactReceiver facts);

    /** How the processes of an attempt are tracked: {@code cgroup} or {@code marker}. */
    String trackingMethod();

    /** The program that starts tasks: {@code native} or {@code bash}. */
    String shim();

    /** Name of the probe that reads the GPUs. */
    String probeName();

    TaskLogs logs();

    LogFiles logFiles();

    /** The GPU use of running attempts. */
    ConsumptionReader consumptions();

    /** Processes that are still running although their attempt has ended. */
    LeftoverProcesses leftovers();

    /** The processes of attempts that are lost or stuck. */
    AttemptProcesses attemptProcesses();

    /** When workers last gave a sign of life. */
    WorkerHeartbeats heartbeats();
}
