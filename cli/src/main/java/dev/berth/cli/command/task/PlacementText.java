package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.text.DecimalText;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.wire.Placement;
import dev.berth.wire.Reason;
import dev.berth.wire.TaskDetail;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Explains where a task would be placed: one line for each GPU, then each part of its scores. */
final class PlacementText {

    private final TaskDetail task;
    private final Placement placement;
    private final CallContext context;
    private final LabelledLines lines = new LabelledLines();

    PlacementText(TaskDetail task, Placement placement, CallContext context) {
        this.task = task;
        this.placement = placement;
        this.context = context;
    }

    /** The text without the final line end, to be printed behind the reasons. */
    String text() {
        lines.add("needs", need());
        List<Placement.Gpu> gpus = placement.gpus();
        if (gpus.isEmpty()) {
            return "\n\n" + lines.text();
        }
        lines.add("chooses by", placement.selector());
        String tables = render(table(gpus)) + "\n" + render(scoreTable(gpus));
        return ("\n\n" + lines.text() + "\n\n" + tables).stripTrailing();
    }

    private String need() {
        Placement.Need need = placement.need();
        if (task.header().devices().equals("cpu")) {
            return "no GPU";
        }
        String gpuNames = TaskTable.selectedGpus(task.header().devices());
        String memory = memory(need);
        boolean single = need.maxGpu() == 1;
        return (single ? "1 GPU" : count(need) + " GPUs")
                + (gpuNames.isEmpty() ? "" : " (" + gpuNames + ")")
                + (memory.isEmpty() || single ? "" : ", each")
                + memory;
    }

    private String count(Placement.Need need) {
        return TaskTable.gpus(task.header().devices(), need.minGpu(), need.maxGpu());
    }

    private static String memory(Placement.Need need) {
        Long memory = need.memoryMb();
        Integer threshold = need.thresholdPercent();
        if (memory == null) {
            return threshold == null ? "" : " less than " + threshold + " % full";
        }
        return " with "
                + memory
                + " MB free"
                + (need.marginMb() == 0 ? "" : " and " + need.marginMb() + " MB to spare")
                + (need.memoryFrom().equals("estimate") ? " (estimated)" : "");
    }

    private String render(TextTable table) {
        return table.render(context.width(), context.usesColours());
    }

    private static TextTable table(List<Placement.Gpu> gpus) {
        TextTable table = new TextTable();
        table.add("GPU", ColumnKind.RIGHT, column(gpus, gpu -> Integer.toString(gpu.index())));
        table.add("NAME", ColumnKind.NAME, column(gpus, Placement.Gpu::name));
        table.add("FREE", ColumnKind.RIGHT, column(gpus, PlacementText::free));
        table.add("UNRESERVED", ColumnKind.RIGHT, column(gpus, PlacementText::unreserved));
        table.add(
                "SCORE",
                ColumnKind.RIGHT,
                column(gpus, gpu -> DecimalText.oneDecimal(gpu.score())));
        List<Cell> verdicts = new ArrayList<>(gpus.size());
        for (Placement.Gpu gpu : gpus) {
            verdicts.add(verdict(gpu));
        }
        table.add("VERDICT", ColumnKind.LEFT, verdicts);
        // Never shortened: it is the answer the user asked for.
        table.add("WHY NOT", ColumnKind.LEFT, column(gpus, PlacementText::refusal));
        return table;
    }

    private static Cell verdict(Placement.Gpu gpu) {
        if (gpu.chosen()) {
            return new Cell("chosen", TextStyle.GREEN);
        }
        return gpu.fits()
                ? new Cell("fits", TextStyle.CYAN)
                : new Cell("refused", TextStyle.YELLOW);
    }

    /** The line starts with the GPU's index, so the reason does not repeat it. */
    private static String refusal(Placement.Gpu gpu) {
        Reason refusal = gpu.refusal();
        if (refusal == null) {
            return "";
        }
        String prefix = "GPU " + gpu.index() + " ";
        String detail = refusal.detail();
        return detail.startsWith(prefix) ? detail.substring(prefix.length()) : detail;
    }

    private static String free(Placement.Gpu gpu) {
        return megabytes(gpu.memoryFreeMb()) + " / " + gpu.memoryTotalMb() + " MB";
    }

    /** Empty unless part of the free memory is reserved for other tasks. */
    private static String unreserved(Placement.Gpu gpu) {
        Long headroom = gpu.headroomMb();
        return headroom == null || headroom.equals(gpu.memoryFreeMb()) ? "" : headroom + " MB";
    }

    private static String megabytes(@Nullable Long megabytes) {
        return megabytes == null ? "?" : megabytes.toString();
    }

    private static TextTable scoreTable(List<Placement.Gpu> gpus) {
        List<Cell> indices = new ArrayList<>();
        List<Cell> selectors = new ArrayList<>();
        List<Cell> totals = new ArrayList<>();
        List<Cell> parts = new ArrayList<>();
        for (Placement.Gpu gpu : gpus) {
            for (Map.Entry<String, Placement.Score> score : gpu.scores().entrySet()) {
                indices.add(Cell.of(Integer.toString(gpu.index())));
                selectors.add(Cell.of(score.getKey()));
                totals.add(Cell.of(DecimalText.oneDecimal(score.getValue().total())));
                parts.add(Cell.of(parts(score.getValue())));
            }
        }
        TextTable table = new TextTable();
        table.add("GPU", ColumnKind.RIGHT, indices);
        table.add("RULE", ColumnKind.LEFT, selectors);
        table.add("SCORE", ColumnKind.RIGHT, totals);
        table.add("PARTS", ColumnKind.LEFT, parts);
        return table;
    }

    private static String parts(Placement.Score score) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Double> part : score.parts().entrySet()) {
            text.append(text.isEmpty() ? "" : ", ").append(part.getKey()).append(' ');
            text.append(DecimalText.oneDecimal(part.getValue()));
        }
        return text.toString();
    }

    private static List<Cell> column(
            List<Placement.Gpu> gpus, Function<Placement.Gpu, String> text) {
        List<Cell> cells = new ArrayList<>(gpus.size());
        for (Placement.Gpu gpu : gpus) {
            cells.add(Cell.of(text.apply(gpu)));
        }
        return cells;
    }
}
