package dev.berth.cli.command.model;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.command.task.LabelledLines;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.ModelInfo;
import dev.berth.wire.ModelWorker;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** All details of one model, then its workers. */
final class ModelText {

    private final ModelInfo model;
    private final CallContext context;

    ModelText(ModelInfo model, CallContext context) {
        this.model = model;
        this.context = context;
    }

    /** The text without the final line end. */
    String text() {
        String title = SafeText.line("Model " + model.name());
        return TextStyle.BOLD.apply(title, context.usesColours())
                + "\n"
                + details().text()
                + (model.workers().isEmpty() ? "" : "\n\n" + workers().stripTrailing());
    }

    private LabelledLines details() {
        LabelledLines lines = new LabelledLines();
        lines.add("set aside", model.setAside());
        Long failed = model.failedTaskId();
        lines.add("failed worker", failed == null ? "" : "berth logs " + failed);
        lines.add("owner", model.owner());
        lines.add("worker", model.worker());
        lines.add("runs as", model.runAs());
        lines.add("directory", model.workDir());
        lines.add("environment", String.join(" ", model.env()));
        lines.add("memory", model.memoryMb() + " MB");
        lines.add("prewarm", model.prewarm() ? "loaded when the server starts" : "");
        lines.add("idle time", DurationText.exact(model.idleSeconds()));
        lines.add("configured", model.configured() ? "in the configuration, change it there" : "");
        lines.add("hits", Long.toString(model.hits()));
        lines.add("misses", Long.toString(model.misses()));
        lines.add("evicted", Long.toString(model.evictions()));
        lines.add("load time", ModelTable.loadTime(model));
        lines.add("loaded", model.workers().isEmpty() ? "no" : "");
        return lines;
    }

    private String workers() {
        TextTable table = new TextTable();
        table.add("GPU", ColumnKind.RIGHT, cells(worker -> Integer.toString(worker.gpuId())));
        table.add("STATE", ColumnKind.LEFT, cells(ModelWorker::status));
        table.add("RUNS", ColumnKind.LEFT, cells(worker -> task(worker.currentTaskId())));
        table.add("PID", ColumnKind.RIGHT, cells(worker -> number(worker.pid())));
        table.add("MEMORY", ColumnKind.RIGHT, cells(worker -> worker.memoryMb() + " MB"));
        table.add("AGE", ColumnKind.RIGHT, cells(worker -> age(worker.since())));
        table.add("LAST USED", ColumnKind.RIGHT, cells(worker -> age(worker.lastUsed())));
        table.add("HEARTBEAT", ColumnKind.RIGHT, cells(worker -> age(worker.lastHeartbeat())));
        table.add("LOG", ColumnKind.LEFT, cells(worker -> "berth logs " + worker.taskId()));
        table.mayOmit(List.of("HEARTBEAT", "LAST USED", "AGE", "MEMORY"));
        return table.render(context.width(), context.usesColours());
    }

    private List<Cell> cells(Function<ModelWorker, String> text) {
        List<Cell> cells = new ArrayList<>();
        for (ModelWorker worker : model.workers()) {
            cells.add(Cell.of(text.apply(worker)));
        }
        return cells;
    }

    private static String task(@Nullable Long id) {
        return id == null ? "" : "task " + id;
    }

    private static String number(@Nullable Long number) {
        return number == null ? "" : number.toString();
    }

    private String age(@Nullable String time) {
        OptionalLong at = TimestampText.parseEpochSecond(time);
        return at.isEmpty()
                ? ""
                : DurationText.brief(context.clock().now().getEpochSecond() - at.getAsLong());
    }
}
