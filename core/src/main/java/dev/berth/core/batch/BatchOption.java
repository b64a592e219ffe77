package dev.berth.core.batch;

import java.util.Map;
import java.util.Optional;

/**
 * One option of an {@code #SBATCH} line.
 *
 * @param line of the script, counted from 1
 * @param name the long name with its dashes where Slurm has one for a short option that Berth reads
 */
public record BatchOption(int line, String name, Optional<String> value) {

    private static final Map<String, String> LONG_NAMES =
            Map.ofEntries(
                    Map.entry("-J", "--job-name"),
                    Map.entry("-o", "--output"),
                    Map.entry("-e", "--error"),
                    Map.entry("-D", "--chdir"),
                    Map.entry("-G", "--gpus"),
                    Map.entry("-t", "--time"),
                    Map.entry("-a", "--array"),
                    Map.entry("-N", "--nodes"),
                    Map.entry("-n", "--ntasks"),
                    Map.entry("-i", "--input"),
                    Map.entry("-H", "--hold"),
                    Map.entry("-d", "--dependency"),
                    Map.entry("-W", "--wait"),
                    Map.entry("-Q", "--quiet"));

    static BatchOption of(int line, String written, Optional<String> value) {
        return new BatchOption(line, LONG_NAMES.getOrDefault(written, written), value);
    }

    /** The option as one argument of {@code sbatch}. */
    public String argument() {
        var separator = name.startsWith("--") ? "=" : "";
        return name + value.map(text -> separator + text).orElse("");
    }
}
