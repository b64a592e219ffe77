package dev.berth.slurm;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How Berth uses a cluster.
 *
 * @param partition of every job; Slurm's default if absent
 * @param options further options of {@code sbatch} for every job
 * @param gpuMemoryMib memory of the GPUs of each gres type
 * @param isHealing Berth may end records of Slurm that hold GPUs without a process
 */
public record SlurmSettings(
        Optional<String> partition,
        Optional<String> account,
        Optional<String> qos,
        List<String> options,
        SortedMap<String, Long> gpuMemoryMib,
        boolean isHealing) {

    /** How often Slurm is asked while an attempt is there. */
    static final Duration POLL = Duration.ofSeconds(1);

    public SlurmSettings {
        options = List.copyOf(options);
        gpuMemoryMib = Collections.unmodifiableSortedMap(new TreeMap<>(gpuMemoryMib));
    }

    public static final SlurmSettings DEFAULT =
            new SlurmSettings(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    Collections.emptySortedMap(),
                    false);

    SlurmSettings healing() {
        return new SlurmSettings(partition, account, qos, options, gpuMemoryMib, true);
    }
}
