package dev.berth.node.gpu;

import java.util.List;

/** Reads the health of the GPUs, independently of the probe that reads the GPUs. */
interface HealthProbe {

    /** Reports nothing. */
    HealthProbe NONE = List::of;

    /** May take long, and never returns if the driver hangs. */
    List<GpuHealth> read() throws ProbeFailure;

    default void close() {}
}
