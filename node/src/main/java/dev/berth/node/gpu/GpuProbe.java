package dev.berth.node.gpu;

import java.util.List;

/** A way to read the GPUs of this host. */
interface GpuProbe extends AutoCloseable {

    /** Reads the GPUs now. May take long, and never returns if the driver hangs. */
    List<ProbedGpu> read() throws ProbeFailure;

    /** True if it answers immediately and cannot fail, because it uses no driver. */
    boolean isImmediate();

    /** Reads the health of the GPUs. Used from another thread than {@link #read}. */
    default HealthProbe health() {
        return HealthProbe.NONE;
    }

    /** From now on, passes on errors that the driver reports by itself, if it reports any. */
    default void reportXidsTo(XidListener listener) {}

    /** Name of the source, for users. */
    String name();

    @Override
    void close();
}
