package dev.berth.cli.command.task;

import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TextStyle;
import dev.berth.wire.TaskDetail;

import org.jspecify.annotations.Nullable;

/** A title and labelled lines. A line without a value is omitted. */
public final class LabelledLines {

    private static final int LABEL_WIDTH = 12;

    private final StringBuilder text = new StringBuilder();

    void addTitle(TaskDetail task, boolean colours) {
        String status =
                SafeText.line(TaskTable.status(task.header().status(), task.header().phase()));
        text.append(TextStyle.BOLD.apply("Task " + task.id(), colours)).append("  ");
        text.append(SafeText.line(task.name())).append("  ");
        text.append(TextStyle.ofStatus(task.header().status()).apply(status, colours)).append('\n');
    }

    public void add(String label, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            addEvenIfEmpty(label, value);
        }
    }

    void addEvenIfEmpty(String label, String value) {
        text.append("  ").append(label).repeat(' ', LABEL_WIDTH - label.length());
        text.append(SafeText.line(value)).append('\n');
    }

    /** The text without the final line end. */
    public String text() {
        return text.toString().stripTrailing();
    }
}
