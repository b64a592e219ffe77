package dev.berth.core.reserve;

import dev.berth.core.task.GpuIndices;

/** Which GPUs a reservation is about. */
public sealed interface ReservedGpus {

    int count();

    /** Any GPUs; Berth selects them. */
    record AnyGpus(int count) implements ReservedGpus {
        public AnyGpus {
            if (count < 1) {
                throw new IllegalArgumentException("a reservation is of 1 GPU or more");
            }
        }
    }

    /** These GPUs, by index. */
    record NamedGpus(GpuIndices devices) implements ReservedGpus {
        @Override
        public int count() {
            return devices.indices().size();
        }
    }
}
