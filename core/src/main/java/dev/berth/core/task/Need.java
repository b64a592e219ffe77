package dev.berth.core.task;

import java.util.Optional;
import java.util.OptionalLong;

/** The resources that a task needs to start. */
public sealed interface Need {

    /** No GPU: the task never waits for one and sees none. */
    record Cpu() implements Need {}

    /**
     * Several GPUs at the same time.
     *
     * @param type only GPUs of exactly this model name
     * @param devices only GPUs with these indices
     */
    record Gpus(
            GpuCount count, Optional<String> type, Optional<GpuIndices> devices, GpuMemory memory)
            implements Need {

        /** Berth selects the GPUs. */
        public Gpus(GpuCount count, Optional<String> type, GpuMemory memory) {
            this(count, type, Optional.empty(), memory);
        }

        public Gpus with(GpuMemory other) {
            return new Gpus(count, type, devices, other);
        }

        /** One GPU that others may share. */
        public static Gpus shared(long mib) {
            return new Gpus(GpuCount.of(1), Optional.empty(), GpuMemory.shared(mib));
        }

        /** Needs all of these GPUs. */
        public static Gpus on(GpuIndices devices, Optional<String> type, GpuMemory memory) {
            int count = devices.indices().size();
            return new Gpus(new GpuCount(count, count), type, Optional.of(devices), memory);
        }
    }

    /**
     * The number of GPUs: the task starts with at least the minimum and uses up to the maximum.
     *
     * @throws IllegalArgumentException if this is not a range from 1 upwards
     */
    record GpuCount(int min, int max) {
        public GpuCount {
            if (min < 1 || max < min) {
                throw new IllegalArgumentException(
                        "a GPU task needs 1 GPU or more, not " + min + " to " + max);
            }
        }

        public static GpuCount of(int number) {
            return new GpuCount(number, number);
        }
    }

    /**
     * The memory that must be free on each GPU.
     *
     * @param mib if absent, it is estimated for a model task; for other tasks the GPU must be
     *     nearly empty
     * @param isShared other sharing tasks may use the same GPU
     */
    record GpuMemory(OptionalLong mib, boolean isShared) {

        public static final GpuMemory UNSTATED = new GpuMemory(OptionalLong.empty(), false);

        public GpuMemory {
            if (isShared && mib.isEmpty()) {
                throw new IllegalArgumentException("sharing a GPU needs a stated memory");
            }
        }

        public GpuMemory with(long other) {
            return new GpuMemory(OptionalLong.of(other), isShared);
        }

        public static GpuMemory of(long mib) {
            return new GpuMemory(OptionalLong.of(mib), false);
        }

        public static GpuMemory shared(long mib) {
            return new GpuMemory(OptionalLong.of(mib), true);
        }
    }

    Need CPU = new Cpu();

    static Gpus gpus(int count) {
        return new Gpus(GpuCount.of(count), Optional.empty(), GpuMemory.UNSTATED);
    }
}
