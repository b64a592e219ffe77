package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The GPUs that each attempt claims or has a process on, in one reading. Built with one look at
 * each GPU, so that a reading of many GPUs with many attempts does not cost their product.
 */
final class GpusOfAttempts {

    private final SortedMap<AttemptId, List<ReadGpu>> gpus = new TreeMap<>();

    /**
     * @param claimants the attempts that claim it
     */
    record ReadGpu(GpuReading reading, List<AttemptId> claimants) {

        boolean isClaimedOnlyBy(AttemptId attempt) {
            return claimants.stream().allMatch(attempt::equals);
        }
    }

    GpusOfAttempts(List<GpuState> states, NodeAttempts attempts) {
        for (var state : states) {
            if (state instanceof GpuState.Readable(var gpu, var reading)) {
                var claimants =
                        attempts.claiming(gpu.id().uuid()).stream()
                                .map(NodeAttempts.NodeAttempt::attempt)
                                .toList();
                add(new ReadGpu(reading, claimants));
            }
        }
    }

    private void add(ReadGpu gpu) {
        var present = new TreeSet<>(gpu.claimants());
        for (var process : gpu.reading().processes().orElse(List.of())) {
            if (process.owner() instanceof ProcessOwner.BerthAttempt(var attempt)) {
                present.add(attempt);
            }
        }
        present.forEach(attempt -> gpus.computeIfAbsent(attempt, _ -> new ArrayList<>()).add(gpu));
    }

    List<ReadGpu> of(AttemptId attempt) {
        return gpus.getOrDefault(attempt, List.of());
    }
}
