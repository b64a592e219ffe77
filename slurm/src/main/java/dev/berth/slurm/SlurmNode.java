package dev.berth.slurm;

import java.util.List;
import java.util.Optional;

/**
 * A host of the cluster, as {@code sinfo} lists it.
 *
 * @param state for example {@code idle}, {@code mixed}, {@code drained}, {@code down}
 * @param isUsable jobs may start there
 * @param reason why it is not usable, as an administrator or Slurm wrote it
 * @param usedGpus indices of the GPUs that jobs hold
 */
public record SlurmNode(
        String name,
        String state,
        boolean isUsable,
        Optional<String> reason,
        List<GpuGroup> gpus,
        List<Integer> usedGpus) {

    public SlurmNode {
        gpus = List.copyOf(gpus);
        usedGpus = List.copyOf(usedGpus);
    }

    /**
     * GPUs of one type.
     *
     * @param type as {@code gres.conf} names it; {@code gpu} if it names none
     */
    public record GpuGroup(String type, int count) {}

    public int gpuCount() {
        return gpus.stream().mapToInt(GpuGroup::count).sum();
    }

    /** The type of the GPU with this index. */
    public String typeOf(int index) {
        int before = 0;
        for (var group : gpus) {
            before += group.count();
            if (index < before) {
                return group.type();
            }
        }
        return "gpu";
    }
}
