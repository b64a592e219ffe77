package dev.berth.node.gpu;

import java.util.List;
import java.util.Optional;

/**
 * No GPUs are read.
 *
 * @param why the reason if GPUs are configured but cannot be read
 */
record NoProbe(Optional<String> why) implements GpuProbe {

    @Override
    public List<ProbedGpu> read() throws ProbeFailure {
        if (why.isPresent()) {
            throw new ProbeFailure(why.get());
        }
        return List.of();
    }

    @Override
    public boolean isImmediate() {
        return why.isEmpty();
    }

    @Override
    public String name() {
        return "none";
    }

    @Override
    public void close() {}
}
