package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The GPU use of one attempt in one reading.
 *
 * @param isPresent one of its processes was on a GPU
 * @param memory of its own processes, in MiB
 * @param load in percent; if tasks share a GPU it is the load of all of them, because drivers
 *     report no more
 */
record GpuUseSample(boolean isPresent, Optional<PeakAndMean> memory, Optional<PeakAndMean> load) {

    /**
     * @param peak on the GPU with the highest value
     * @param mean over its GPUs
     */
    record PeakAndMean(long peak, double mean) {

        static Optional<PeakAndMean> of(List<Long> values) {
            var all = values.stream().mapToLong(Long::longValue).summaryStatistics();
            return all.getCount() == 0
                    ? Optional.empty()
                    : Optional.of(new PeakAndMean(all.getMax(), all.getAverage()));
        }
    }

    static GpuUseSample of(AttemptId attempt, GpusOfAttempts gpus) {
        var ours = new ProcessOwner.BerthAttempt(attempt);
        var memory = new ArrayList<Long>();
        var load = new ArrayList<Long>();
        boolean isThere = false;
        for (var gpu : gpus.of(attempt)) {
            var reading = gpu.reading();
            var own =
                    reading.processes().orElse(List.of()).stream()
                            .filter(process -> process.owner().equals(ours))
                            .toList();
            boolean isAlone =
                    gpu.isClaimedOnlyBy(attempt)
                            && reading.processes().orElse(own).size() == own.size();
            var mib = memory(reading, own, isAlone);
            isThere |= !own.isEmpty() || (reading.processes().isEmpty() && mib.orElse(0) > 0);
            mib.ifPresent(memory::add);
            reading.utilizationPercent().ifPresent(percent -> load.add((long) percent));
        }
        return new GpuUseSample(isThere, PeakAndMean.of(memory), PeakAndMean.of(load));
    }

    /**
     * The memory in use on the GPU is that of the attempt's processes only if no others are there.
     */
    private static OptionalLong memory(GpuReading reading, List<GpuProcess> own, boolean isAlone) {
        boolean isReported =
                reading.processes().isPresent()
                        && own.stream().allMatch(process -> process.usedMib().isPresent());
        if (isReported) {
            return OptionalLong.of(
                    own.stream().mapToLong(process -> process.usedMib().orElse(0)).sum());
        }
        return isAlone ? reading.usedMib() : OptionalLong.empty();
    }
}
