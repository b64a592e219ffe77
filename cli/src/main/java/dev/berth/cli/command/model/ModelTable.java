package dev.berth.cli.command.model;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.text.DecimalText;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TableLayout;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.wire.ModelInfo;
import dev.berth.wire.ModelWorker;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** One line for each model, and a second one below a model that is set aside. */
final class ModelTable {

    private ModelTable() {}

    static String render(List<ModelInfo> models, CallContext context) {
        TextTable table = new TextTable();
        table.add("NAME", ColumnKind.NAME, cells(models, ModelInfo::name));
        table.add("OWNER", ColumnKind.SHRINKABLE, cells(models, ModelTable::owner));
        table.add("LOADED ON", ColumnKind.SHRINKABLE, cells(models, ModelTable::loaded));
        table.add("MEMORY", ColumnKind.RIGHT, cells(models, model -> model.memoryMb() + " MB"));
        table.add(
                "IDLE TIME",
                ColumnKind.RIGHT,
                cells(models, model -> DurationText.exact(model.idleSeconds())));
        table.add("HITS", ColumnKind.RIGHT, cells(models, model -> count(model.hits())));
        table.add("MISSES", ColumnKind.RIGHT, cells(models, model -> count(model.misses())));
        table.add("EVICTED", ColumnKind.RIGHT, cells(models, model -> count(model.evictions())));
        table.add("LOAD TIME", ColumnKind.RIGHT, cells(models, ModelTable::loadTime));
        table.mayOmit(List.of("IDLE TIME", "EVICTED", "MEMORY"));
        TableLayout layout = table.layout(context.width());
        boolean colours = context.usesColours();
        String[] rows = table.rows(layout, colours).split("\n");
        StringBuilder text = new StringBuilder(layout.header(colours));
        for (int row = 0; row < rows.length; row++) {
            text.append(rows[row]).append('\n');
            String reason = models.get(row).setAside();
            if (reason != null) {
                String line = "  set aside: " + SafeText.line(reason);
                text.append(TextStyle.RED.apply(line, colours)).append('\n');
            }
        }
        return text.toString();
    }

    /** The GPUs with the states of their workers: {@code 0 idle, 1 busy}. */
    static String loaded(ModelInfo model) {
        List<String> places = new ArrayList<>();
        for (ModelWorker worker : model.workers()) {
            places.add(worker.gpuId() + " " + worker.status());
        }
        return String.join(", ", places);
    }

    /** Empty for a model of all users, so that a personal server has no such column. */
    private static String owner(ModelInfo model) {
        return model.owner() == null ? "" : model.owner();
    }

    static String loadTime(ModelInfo model) {
        Double seconds = model.loadSeconds();
        if (seconds == null) {
            return "";
        }
        return seconds < 60
                ? DecimalText.oneDecimal(seconds) + "s"
                : DurationText.full(Math.round(seconds));
    }

    /** Empty for 0, so that a column without any number is omitted. */
    private static String count(long number) {
        return number == 0 ? "" : Long.toString(number);
    }

    private static List<Cell> cells(List<ModelInfo> models, Function<ModelInfo, String> text) {
        List<Cell> cells = new ArrayList<>();
        for (ModelInfo model : models) {
            cells.add(Cell.of(text.apply(model)));
        }
        return cells;
    }
}
