package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.cli.text.TimestampText;
import dev.berth.cli.text.WrappedText;
import dev.berth.wire.Reason;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.Why;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** Explains why a task waits: reasons, GPUs, tasks ahead, and what would help. */
final class WhyText {

    /** As in {@link LabelledLines}. */
    private static final int INDENT = 14;

    private final TaskDetail task;
    private final Why why;
    private final CallContext context;
    private final StringBuilder text = new StringBuilder();

    WhyText(TaskDetail task, Why why, CallContext context) {
        this.task = task;
        this.why = why;
        this.context = context;
    }

    /** The text without the final line end. */
    String text() {
        LabelledLines title = new LabelledLines();
        title.addTitle(task, context.usesColours());
        text.append(title.text()).append('\n');
        addReasons();
        Integer position = task.queuePlace().position();
        add("position", position == null ? "" : TaskText.positionText(position));
        add("expected", expectedStart());
        add("promised", why.reservedStart() == null ? "" : "start " + in(why.reservedStart()));
        add("ahead", ahead());
        addGpus();
        addTasksAhead();
        addSuggestions();
        return text.toString().stripTrailing();
    }

    private void add(String label, String value) {
        if (!value.isEmpty()) {
            WrappedText.append(text, "  " + label, INDENT, value, context.width());
        }
    }

    /** A task that does not wait has only a summary. */
    private void addReasons() {
        List<String> sentences = new ArrayList<>();
        collect(why.reasons(), sentences);
        if (sentences.isEmpty()) {
            add("now", why.summary().detail());
            return;
        }
        String label = "waits for";
        for (String sentence : sentences) {
            add(label, sentence);
            label = "";
        }
    }

    /** Reasons about one GPU are in the lines of the GPUs. */
    private static void collect(List<Reason> reasons, List<String> to) {
        for (Reason reason : reasons) {
            if (!reason.code().startsWith("card.")) {
                to.add(reason.detail());
                collect(reason.parts(), to);
            }
        }
    }

    private String expectedStart() {
        if (why.eta() == null) {
            return ExpectedText.unknown(why.etaReason());
        }
        long now = context.clock().now().getEpochSecond();
        return "start " + ExpectedText.sentence(why.eta(), why.etaLatest(), now);
    }

    /** {@code in about 6m}. */
    private String in(@Nullable String moment) {
        OptionalLong time = TimestampText.parseEpochSecond(moment);
        if (time.isEmpty()) {
            return "";
        }
        long left = time.getAsLong() - context.clock().now().getEpochSecond();
        return left <= 0 ? "now" : "in about " + DurationText.ahead(left);
    }

    private String ahead() {
        int tasks = why.aheadTotal();
        int people = why.peopleAhead();
        if (tasks == 0) {
            return "";
        }
        return (tasks == 1 ? "1 task" : tasks + " tasks")
                + " of "
                + (people == 1 ? "1 person" : people + " people");
    }

    private void addGpus() {
        if (why.gpus().isEmpty()) {
            return;
        }
        text.append('\n');
        for (Why.GpuGroup group : why.gpus()) {
            String label = "  GPU " + GpuRanges.text(group.gpus());
            if (label.length() >= INDENT) {
                text.append(label).append('\n');
                label = "";
            }
            WrappedText.append(text, label, INDENT, sentence(group), context.width());
        }
    }

    /** The line starts with the GPUs, so the reason does not repeat them. */
    private static String sentence(Why.GpuGroup group) {
        Reason reason = group.reason();
        if (reason == null) {
            return "fits";
        }
        String prefix = "GPU " + TaskTable.joinNumbers(group.gpus()) + " ";
        String detail = reason.detail();
        return detail.startsWith(prefix) ? detail.substring(prefix.length()) : detail;
    }

    private void addTasksAhead() {
        List<Why.TaskAhead> ahead = why.ahead();
        if (ahead.isEmpty()) {
            return;
        }
        TextTable table = new TextTable();
        table.add("AHEAD", ColumnKind.RIGHT, column(ahead, one -> Long.toString(one.taskId())));
        table.add("NAME", ColumnKind.NAME, column(ahead, Why.TaskAhead::name));
        table.add("OWNER", ColumnKind.SHRINKABLE, column(ahead, Why.TaskAhead::owner));
        List<Cell> statuses = new ArrayList<>(ahead.size());
        for (Why.TaskAhead one : ahead) {
            statuses.add(new Cell(one.status(), TextStyle.ofStatus(one.status())));
        }
        table.add("STATUS", ColumnKind.LEFT, statuses);
        table.add("GPUS", ColumnKind.LEFT, column(ahead, one -> GpuRanges.text(one.gpus())));
        table.add("ENDS", ColumnKind.LEFT, column(ahead, one -> in(one.expectedEnd())));
        text.append('\n').append(table.render(context.width(), context.usesColours()));
        int more = why.aheadTotal() - ahead.size();
        if (more > 0) {
            text.append("and ").append(more).append(" more\n");
        }
    }

    private static List<Cell> column(
            List<Why.TaskAhead> ahead, Function<Why.TaskAhead, String> value) {
        List<Cell> cells = new ArrayList<>(ahead.size());
        for (Why.TaskAhead one : ahead) {
            cells.add(Cell.of(value.apply(one)));
        }
        return cells;
    }

    private void addSuggestions() {
        if (why.suggestions().isEmpty()) {
            return;
        }
        text.append("\nIt would start earlier\n");
        for (Why.Suggestion suggestion : why.suggestions()) {
            WrappedText.append(text, "", 2, suggestion.detail(), context.width());
            WrappedText.append(text, "", 6, suggestion.command(), 0);
        }
    }
}
