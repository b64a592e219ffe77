package dev.berth.cli.command.task;

import java.util.List;

/** Prints the indices of GPUs. */
final class GpuRanges {

    private GpuRanges() {}

    /** Ascending indices, with ranges of three or more joined: {@code 0-3,6,7}. */
    static String text(List<Integer> indices) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < indices.size(); ) {
            int end = at;
            while (end + 1 < indices.size() && indices.get(end + 1) == indices.get(end) + 1) {
                end++;
            }
            if (end - at < 2) {
                end = at;
            }
            text.append(text.isEmpty() ? "" : ",").append(indices.get(at));
            if (end > at) {
                text.append('-').append(indices.get(end));
            }
            at = end + 1;
        }
        return text.toString();
    }
}
