package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.text.TableLayout;
import dev.berth.wire.TaskSummary;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * One table with one header that is printed page by page. The oldest and the newest page together
 * determine its columns; the pages between them are printed as they are read.
 */
final class LongTaskTable {

    private final TaskList list;
    private final String status;
    private final CallContext context;
    private final long now;
    private @Nullable TableLayout layout;
    private String soleOwner = "";

    /**
     * @param status of the tasks in the list, or empty for any
     */
    LongTaskTable(TaskList list, String status, CallContext context) {
        this.list = list;
        this.status = status;
        this.context = context;
        this.now = context.clock().now().getEpochSecond();
    }

    boolean isEmpty() {
        return layout == null;
    }

    /**
     * Prints the next page, the oldest task first.
     *
     * @return false if the reader of the output has closed it
     */
    boolean print(List<TaskList.ListedTask> page, boolean hasNext) {
        List<TaskSummary> tasks = TaskList.tasks(page);
        TableLayout shown = layout;
        if (shown == null) {
            shown = chooseLayout(tasks, hasNext);
            layout = shown;
            context.out().print(shown.header(context.usesColours()));
        }
        TaskTable table = new TaskTable(tasks, now, soleOwner);
        context.out().print(table.table().rows(shown, context.usesColours()));
        return !context.out().checkError();
    }

    private TableLayout chooseLayout(List<TaskSummary> firstPage, boolean hasNext) {
        List<TaskSummary> sample = new ArrayList<>(firstPage);
        if (hasNext) {
            sample.addAll(TaskList.tasks(list.newest(status, TaskList.PAGE_SIZE)));
        }
        soleOwner = TaskTable.soleOwner(sample, context);
        return new TaskTable(sample, now, soleOwner).table().layout(context.width());
    }
}
