package dev.berth.slurm;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads one line of {@code sinfo -N}. */
final class NodeLine {

    /** For example {@code gpu:a100:4(S:0-1)} or {@code gpu:2}. */
    private static final Pattern GRES = Pattern.compile("gpu(?::([A-Za-z][^:,(]*))?:(\\d{1,6})");

    private static final Pattern USED = Pattern.compile("gpu[^,(]*\\(IDX:([0-9,-]+)\\)");
    private static final int MAX_GPUS = 1024;

    private NodeLine() {}

    static Optional<SlurmNode> parse(String line) {
        var parts = line.split("\\|", -1);
        if (parts.length < 5 || parts[0].isBlank()) {
            return Optional.empty();
        }
        var state = parts[1].strip().toLowerCase(Locale.ROOT);
        var reason = parts[4].strip();
        return Optional.of(
                new SlurmNode(
                        parts[0].strip(),
                        state,
                        isUsable(state),
                        reason.isEmpty() || reason.equals("none")
                                ? Optional.empty()
                                : Optional.of(reason),
                        gpus(parts[2]),
                        used(parts[3])));
    }

    /** For example {@code idle}, {@code mixed+drain}, {@code down*}. */
    private static boolean isUsable(String state) {
        for (var bad :
                List.of(
                        "down",
                        "drain",
                        "fail",
                        "inval",
                        "no_respond",
                        "*",
                        "power",
                        "maint",
                        "unk")) {
            if (state.contains(bad)) {
                return false;
            }
        }
        return true;
    }

    private static List<SlurmNode.GpuGroup> gpus(String gres) {
        var groups = new ArrayList<SlurmNode.GpuGroup>();
        var found = GRES.matcher(gres);
        while (found.find()) {
            int count = Math.min(MAX_GPUS, Integer.parseInt(found.group(2)));
            var type = found.group(1) == null ? "gpu" : found.group(1);
            groups.add(new SlurmNode.GpuGroup(type, count));
        }
        return groups;
    }

    private static List<Integer> used(String gresUsed) {
        var indices = new ArrayList<Integer>();
        var found = USED.matcher(gresUsed);
        while (found.find()) {
            for (var range : found.group(1).split(",")) {
                var ends = range.split("-");
                int first = Integer.parseInt(ends[0]);
                int last = ends.length > 1 ? Integer.parseInt(ends[1]) : first;
                for (int i = first; i <= last && indices.size() < MAX_GPUS; i++) {
                    indices.add(i);
                }
            }
        }
        return indices;
    }
}
