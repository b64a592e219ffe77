package dev.berth.core.batch;

import java.util.Optional;

/**
 * One option of an {@code #SBATCH} line.
 *
 * @param line of the script, counted from 1
 * @param name the long name with its dashes where Slurm has one for a short option that Berth reads
 */
public record BatchOption(int line, String name, Optional<String> value) {

    static BatchOption of(int line, String written, Optional<String> value) {
        return new BatchOption(line, longName(written), value);
    }

    private static String longName(String written) {
        return switch (written) {
            case "-J" -> "--job-name";
            case "-o" -> "--output";
            case "-e" -> "--error";
            case "-D" -> "--chdir";
            case "-G" -> "--gpus";
            case "-t" -> "--time";
            case "-a" -> "--array";
            case "-N" -> "--nodes";
            case "-n" -> "--ntasks";
            case "-i" -> "--input";
            case "-H" -> "--hold";
            case "-d" -> "--dependency";
            case "-W" -> "--wait";
            case "-Q" -> "--quiet";
            default -> written;
        };
    }

    /** The option as one argument of {@code sbatch}. */
    public String argument() {
        var separator = name.startsWith("--") ? "=" : "";
        return name + value.map(text -> separator + text).orElse("");
    }
}
