package dev.berth.node.gpu;

import java.util.regex.Pattern;

/** The source of a node's GPUs: the value of {@code --gpus} or {@code gpu_probe}. */
public sealed interface GpuSource {

    /** NVML if its library loads, otherwise nvidia-smi if it exists, otherwise none. */
    record Auto() implements GpuSource {
        @Override
        public String toString() {
            return "auto";
        }
    }

    /** The driver's library, loaded into this process. */
    record NvmlLibrary() implements GpuSource {
        @Override
        public String toString() {
            return "nvml";
        }
    }

    /** The driver's program. */
    record NvidiaSmi() implements GpuSource {
        @Override
        public String toString() {
            return "nvidia-smi";
        }
    }

    /** No GPUs: only {@code cpu} tasks can run. */
    record None() implements GpuSource {
        @Override
        public String toString() {
            return "none";
        }
    }

    /** Simulated GPUs, to try Berth without hardware. */
    record Simulated(int count, long mib, String model) implements GpuSource {
        @Override
        public String toString() {
            return "sim:" + count + "x" + mib + ":" + model;
        }
    }

    /** Simulated GPUs on which processes of another user come and go. */
    record Lab(int count, long mib, String model) implements GpuSource {
        @Override
        public String toString() {
            return "lab:" + count + "x" + mib + ":" + model;
        }
    }

    Pattern SIMULATED = Pattern.compile("(sim|lab):(\\d{1,4})x(\\d{1,8})(?::(.{1,100}))?");

    String DEFAULT_MODEL = "Simulated GPU";

    /** The meaning of {@code sim} without parameters. */
    Simulated DEFAULT_SIMULATION = new Simulated(4, 24_576, DEFAULT_MODEL);

    /**
     * @throws IllegalArgumentException that lists the allowed values
     */
    static GpuSource parse(String text) {
        return switch (text) {
            case "auto" -> new Auto();
            case "none" -> new None();
            case "nvml" -> new NvmlLibrary();
            case "nvidia-smi" -> new NvidiaSmi();
            case "sim" -> DEFAULT_SIMULATION;
            default -> simulated(text);
        };
    }

    private static GpuSource simulated(String text) {
        var match = SIMULATED.matcher(text);
        if (!match.matches() || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "--gpus takes auto, none, nvml, nvidia-smi or sim:COUNTxMIB[:NAME] (for example"
                            + " sim:4x24576), not \""
                            + text
                            + "\"");
        }
        int count = Integer.parseInt(match.group(2));
        long mib = Long.parseLong(match.group(3));
        if (count < 1 || mib < 1) {
            throw new IllegalArgumentException(
                    "--gpus " + text + ": count and memory are 1 or more");
        }
        var model = match.group(4) == null ? DEFAULT_MODEL : match.group(4);
        return match.group(1).equals("lab")
                ? new Lab(count, mib, model)
                : new Simulated(count, mib, model);
    }
}
