package dev.berth.cli.link;

import dev.berth.wire.TaskDiagnosis;
import dev.berth.wire.TaskProgress;
import dev.berth.wire.TaskUsage;

import org.jspecify.annotations.Nullable;

/** From JSON to what was found out about a task. */
final class FindingReader {

    private FindingReader() {}

    static @Nullable TaskProgress progress(Fields progress) {
        return progress.map().isEmpty()
                ? null
                : new TaskProgress(
                        progress.longNumber("done"),
                        progress.longNumber("total"),
                        progress.number("percent"),
                        progress.text("unit"),
                        progress.decimalOrNull("per_second"),
                        progress.textOrNull("finish_at"),
                        progress.text("line"),
                        progress.longOrNull("stalled_seconds"));
    }

    static @Nullable TaskDiagnosis diagnosis(Fields diagnosis) {
        Fields redo = diagnosis.object("redo");
        return diagnosis.map().isEmpty()
                ? null
                : new TaskDiagnosis(
                        diagnosis.text("cause"),
                        diagnosis.text("line"),
                        diagnosis.text("advice"),
                        diagnosis.textMap("params"),
                        redo.map().isEmpty()
                                ? null
                                : new TaskDiagnosis.Redo(
                                        redo.decimalOrNull("memory_gb"), redo.textMap("env")));
    }

    static @Nullable TaskUsage usage(Fields usage) {
        return usage.map().isEmpty()
                ? null
                : new TaskUsage(
                        usage.longNumber("peak_memory_mb"),
                        usage.longNumber("mean_memory_mb"),
                        usage.numberOrNull("peak_utilization"),
                        usage.numberOrNull("mean_utilization"),
                        usage.decimal("watched_seconds"),
                        usage.longOrNull("memory_asked_mb"),
                        usage.decimal("gpu_seconds"));
    }
}
