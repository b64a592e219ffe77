package dev.berth.app.simulate;

import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.simulator.Experiment.Outcome;
import dev.berth.simulator.result.Metrics;
import dev.berth.simulator.result.StartsHash;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A column for each policy, a line for each figure. */
final class OutcomeTable {

    private static final List<String> LABELS =
            List.of(
                    "jobs",
                    "rejected",
                    "GPUs",
                    "makespan",
                    "mean wait",
                    "median wait",
                    "p90 wait",
                    "p99 wait",
                    "longest wait",
                    "jobs that waited",
                    "mean time to end",
                    "mean slowdown",
                    "GPU use",
                    "GPU use in window");

    private OutcomeTable() {}

    static TextTable of(Map<String, Outcome> outcomes) {
        var table = new TextTable();
        table.add("", ColumnKind.LEFT, LABELS.stream().map(Cell::of).toList());
        outcomes.forEach(
                (policy, outcome) ->
                        table.add(
                                policy,
                                ColumnKind.RIGHT,
                                figures(outcome).stream().map(Cell::of).toList()));
        return table;
    }

    /** A line with the hash of all starts, for each policy. */
    static String hashes(Map<String, Outcome> outcomes) {
        var text = new StringBuilder();
        outcomes.forEach(
                (policy, outcome) ->
                        text.append("starts_sha256 ")
                                .append(StartsHash.of(outcome.whole().jobs()))
                                .append(' ')
                                .append(policy)
                                .append('\n'));
        return text.toString();
    }

    private static List<String> figures(Outcome outcome) {
        var metrics = Metrics.of(outcome.whole());
        var waits = metrics.waits();
        return List.of(
                number(metrics.jobs()),
                number(metrics.rejected()),
                number(metrics.gpus()),
                DurationText.full(metrics.makespanS()),
                DurationText.full(Math.round(waits.mean())),
                DurationText.full(waits.percentile(50)),
                DurationText.full(waits.percentile(90)),
                DurationText.full(waits.percentile(99)),
                DurationText.full(waits.percentile(100)),
                number(waits.queued()),
                DurationText.full(Math.round(metrics.meanJctS())),
                String.format(Locale.ROOT, "%.2f", metrics.meanSlowdown()),
                percent(metrics.gpuUse()),
                percent(metrics.gpuUseInWindow()));
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * part);
    }
}
