package dev.berth.node.card;

import java.util.regex.Pattern;

/** Where a node's cards come from: the word after {@code --gpus}, or of {@code gpu_probe}. */
public sealed interface CardSource {

    /** NVML where its library loads, else nvidia-smi where there is one, else none. */
    record Auto() implements CardSource {
        @Override
        public String toString() {
            return "auto";
        }
    }

    /** The driver's library, in this process. */
    record Nvml() implements CardSource {
        @Override
        public String toString() {
            return "nvml";
        }
    }

    /** The driver's program. */
    record NvidiaSmi() implements CardSource {
        @Override
        public String toString() {
            return "nvidia-smi";
        }
    }

    /** No cards: only tasks on {@code cpu} can run. */
    record None() implements CardSource {
        @Override
        public String toString() {
            return "none";
        }
    }

    /** Cards that exist in name only, for trying Berth without a GPU. */
    record Simulated(int count, long mib, String model) implements CardSource {
        @Override
        public String toString() {
            return "sim:" + count + "x" + mib + ":" + model;
        }
    }

    /** Simulated cards in a lab where another user's work comes and goes. */
    record Lab(int count, long mib, String model) implements CardSource {
        @Override
        public String toString() {
            return "lab:" + count + "x" + mib + ":" + model;
        }
    }

    Pattern SIMULATED = Pattern.compile("(sim|lab):(\\d{1,4})x(\\d{1,8})(?::(.{1,100}))?");

    String UNNAMED = "Simulated GPU";

    /** What a bare {@code sim} stands for. */
    Simulated SIMPLEST = new Simulated(4, 24_576, UNNAMED);

    /**
     * @throws IllegalArgumentException that says what may be written
     */
    static CardSource parse(String text) {
        return switch (text) {
            case "auto" -> new Auto();
            case "none" -> new None();
            case "nvml" -> new Nvml();
            case "nvidia-smi" -> new NvidiaSmi();
            case "sim" -> SIMPLEST;
            default -> simulated(text);
        };
    }

    private static CardSource simulated(String text) {
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
        var model = match.group(4) == null ? UNNAMED : match.group(4);
        return match.group(1).equals("lab")
                ? new Lab(count, mib, model)
                : new Simulated(count, mib, model);
    }
}
