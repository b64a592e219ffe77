package dev.berth.cli.command;

import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Paint;
import dev.berth.wire.TaskDetail;

import org.jspecify.annotations.Nullable;

/** A title and labelled lines; a line that has nothing to say is not there. */
final class Card {

    private static final int LABEL_WIDTH = 12;

    private final StringBuilder text = new StringBuilder();

    void title(TaskDetail task, boolean colours) {
        String status = Clean.line(TaskTable.status(task.status(), task.phase()));
        text.append(Paint.BOLD.on("Task " + task.id(), colours)).append("  ");
        text.append(Clean.line(task.name())).append("  ");
        text.append(Paint.ofStatus(task.status()).on(status, colours)).append('\n');
    }

    void line(String label, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            lineEvenIfEmpty(label, value);
        }
    }

    void lineEvenIfEmpty(String label, String value) {
        text.append("  ").append(label).repeat(' ', LABEL_WIDTH - label.length());
        text.append(Clean.line(value)).append('\n');
    }

    /** Without the last line's end. */
    String text() {
        return text.toString().stripTrailing();
    }
}
