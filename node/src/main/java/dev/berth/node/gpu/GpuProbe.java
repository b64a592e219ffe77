package dev.berth.node.gpu;

import java.util.List;
import java.util.function.Predicate;

/** A way to read the GPUs of this host. */
interface GpuProbe extends AutoCloseable {

    /** Reads the GPUs now. May take long, and never returns if the driver hangs. */
    List<ProbedGpu> read() throws ProbeFailure;

    /**
     * Reads only these GPUs. Called if it answers immediately: a driver is asked about all of them.
     *
     * @param isWanted asked with the UUID of a GPU
     */
    default List<ProbedGpu> read(Predicate<String> isWanted) throws ProbeFailure {
        return read().stream().filter(gpu -> isWanted.test(gpu.uuid())).toList();
    }

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
