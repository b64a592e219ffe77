package dev.berth.cli.command;

import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Paint;
import dev.berth.cli.text.Table;
import dev.berth.cli.text.Table.Cell;
import dev.berth.cli.text.Table.Kind;
import dev.berth.cli.text.Tenths;
import dev.berth.wire.Placement;
import dev.berth.wire.Reason;
import dev.berth.wire.TaskDetail;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Where a task would go, for people: why it waits, then the cards in lines. */
final class PlacementText {

    private final TaskDetail task;
    private final Placement placement;
    private final Surroundings around;
    private final Card card = new Card();

    PlacementText(TaskDetail task, Placement placement, Surroundings around) {
        this.task = task;
        this.placement = placement;
        this.around = around;
    }

    /** Without the last line's end. */
    String text(boolean scores) {
        card.title(task, around.colours());
        Integer position = task.position();
        card.line("position", position == null ? "" : TaskCard.position(position));
        waits();
        card.line("runs on", task.status().equals("running") ? cards() : "");
        card.line("needs", need());
        List<Placement.Gpu> gpus = placement.gpus();
        if (gpus.isEmpty()) {
            return card.text();
        }
        card.line("chooses by", placement.selector());
        String text = card.text() + "\n\n" + render(table(gpus));
        return (scores ? text + "\n" + render(scoreTable(gpus)) : text).stripTrailing();
    }

    private void waits() {
        List<String> all = new ArrayList<>();
        if (task.status().equals("pending")) {
            all.add(TaskCard.draft(task.id()));
        }
        sentences(placement.reasons(), all);
        if (all.isEmpty()) {
            all.add(placement.wouldStart() ? "nothing: it starts now" : "nothing");
        }
        String label = "waits for";
        for (String one : all) {
            card.line(label, one);
            label = "";
        }
    }

    /** What is about one card stands beside that card. */
    private static void sentences(List<Reason> reasons, List<String> to) {
        for (Reason reason : reasons) {
            if (!reason.code().startsWith("card.")) {
                to.add(reason.detail());
                sentences(reason.parts(), to);
            }
        }
    }

    private String cards() {
        String cards = TaskTable.list(task.assignedGpus());
        return cards.isEmpty() ? "no card" : "GPU " + cards;
    }

    private String need() {
        Placement.Need need = placement.need();
        if (task.devices().equals("cpu")) {
            return "no card";
        }
        String named = TaskTable.named(task.devices());
        String memory = memory(need);
        boolean one = need.maxGpu() == 1;
        return (one ? "1 card" : count(need) + " cards")
                + (named.isEmpty() ? "" : " (" + named + ")")
                + (memory.isEmpty() || one ? "" : ", each")
                + memory;
    }

    private String count(Placement.Need need) {
        return TaskTable.gpus(task.devices(), need.minGpu(), need.maxGpu());
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

    private String render(Table table) {
        return table.render(around.width(), around.colours());
    }

    private static Table table(List<Placement.Gpu> gpus) {
        Table table = new Table();
        table.add("GPU", Kind.RIGHT, column(gpus, gpu -> Integer.toString(gpu.index())));
        table.add("NAME", Kind.SHRINKS, column(gpus, Placement.Gpu::name));
        table.add("FREE", Kind.RIGHT, column(gpus, PlacementText::free));
        table.add("UNPROMISED", Kind.RIGHT, column(gpus, PlacementText::unpromised));
        table.add("SCORE", Kind.RIGHT, column(gpus, gpu -> Tenths.of(gpu.score())));
        List<Cell> verdicts = new ArrayList<>(gpus.size());
        for (Placement.Gpu gpu : gpus) {
            verdicts.add(verdict(gpu));
        }
        table.add("VERDICT", Kind.LEFT, verdicts);
        // Never clipped: it is what was asked for.
        table.add("WHY NOT", Kind.LEFT, column(gpus, PlacementText::refusal));
        return table;
    }

    private static Cell verdict(Placement.Gpu gpu) {
        if (gpu.chosen()) {
            return new Cell("chosen", Paint.GREEN);
        }
        return gpu.fits() ? new Cell("fits", Paint.CYAN) : new Cell("refused", Paint.YELLOW);
    }

    /** The line begins with the card, so the reason need not. */
    private static String refusal(Placement.Gpu gpu) {
        Reason refusal = gpu.refusal();
        if (refusal == null) {
            return "";
        }
        String naming = "GPU " + gpu.index() + " ";
        String detail = refusal.detail();
        return detail.startsWith(naming) ? detail.substring(naming.length()) : detail;
    }

    private static String free(Placement.Gpu gpu) {
        return megabytes(gpu.memoryFreeMb()) + " / " + gpu.memoryTotalMb() + " MB";
    }

    /** Only where tasks were promised some of what is free. */
    private static String unpromised(Placement.Gpu gpu) {
        Long headroom = gpu.headroomMb();
        return headroom == null || headroom.equals(gpu.memoryFreeMb()) ? "" : headroom + " MB";
    }

    private static String megabytes(@Nullable Long megabytes) {
        return megabytes == null ? "?" : megabytes.toString();
    }

    private static Table scoreTable(List<Placement.Gpu> gpus) {
        List<Cell> indices = new ArrayList<>();
        List<Cell> selectors = new ArrayList<>();
        List<Cell> totals = new ArrayList<>();
        List<Cell> parts = new ArrayList<>();
        for (Placement.Gpu gpu : gpus) {
            for (Map.Entry<String, Placement.Score> score : gpu.scores().entrySet()) {
                indices.add(Cell.of(Integer.toString(gpu.index())));
                selectors.add(Cell.of(score.getKey()));
                totals.add(Cell.of(Tenths.of(score.getValue().total())));
                parts.add(Cell.of(parts(score.getValue())));
            }
        }
        Table table = new Table();
        table.add("GPU", Kind.RIGHT, indices);
        table.add("RULE", Kind.LEFT, selectors);
        table.add("SCORE", Kind.RIGHT, totals);
        table.add("PARTS", Kind.LEFT, parts);
        return table;
    }

    private static String parts(Placement.Score score) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Double> part : score.parts().entrySet()) {
            text.append(text.isEmpty() ? "" : ", ").append(part.getKey()).append(' ');
            text.append(Tenths.of(part.getValue()));
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
