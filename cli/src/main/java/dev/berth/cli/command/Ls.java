package dev.berth.cli.command;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.Link;
import dev.berth.cli.text.Amount;
import dev.berth.cli.text.Clean;
import dev.berth.wire.TaskSummary;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** The tasks: those that run or wait and the last that ended, or whichever are asked for. */
public final class Ls implements Command {

    private static final Option ALL = Option.flag("--all", "every task").or("-a");
    private static final Option STATUS =
            Option.valued(
                    "--status", "S", "pending, queued, running, completed, failed or cancelled");
    private static final Option NUMBER = Option.valued("-n", "N", "only the newest N");

    /** More than a screen holds; a queue may hold a hundred thousand. */
    private static final int MOST_OF_A_KIND = 200;

    private static final int MOST_FINISHED = 10;

    @Override
    public Syntax syntax() {
        return new Syntax(
                "ls",
                "",
                "List tasks: what runs and waits, and the last 10 that ended",
                List.of(ALL, STATUS, NUMBER, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) {
        given.expectNoArguments();
        int most = most(given.value(NUMBER));
        try (Link link = Link.open(given, around)) {
            TaskList list = new TaskList(link);
            List<TaskList.Row> rows = rows(list, given, most);
            if (given.has(Option.JSON)) {
                List<@Nullable Object> json = new ArrayList<>();
                for (TaskList.Row row : rows) {
                    json.add(row.json());
                }
                around.out().println(JsonText.of(json));
            } else if (rows.isEmpty()) {
                around.out().println(nothing(given.value(STATUS)));
            } else {
                print(rows, around);
                leftOut(list, around);
            }
            return 0;
        }
    }

    private static int most(@Nullable String number) {
        int most = number == null ? Integer.MAX_VALUE : Amount.count(number).orElse(0);
        if (most == 0) {
            throw new UsageError("-n takes a number from 1 up");
        }
        return most;
    }

    private static List<TaskList.Row> rows(TaskList list, Options given, int most) {
        String status = given.value(STATUS);
        if (status != null || given.has(ALL) || given.has(NUMBER)) {
            return list.newest(status == null ? "" : status, most);
        }
        List<TaskList.Row> rows = list.finished(MOST_FINISHED);
        rows.addAll(list.some("running", MOST_OF_A_KIND));
        rows.addAll(list.some("queued", MOST_OF_A_KIND));
        rows.addAll(list.some("pending", MOST_OF_A_KIND));
        TaskList.sort(rows);
        return rows;
    }

    /** The newest last, next to where the next command is typed. */
    private static void print(List<TaskList.Row> rows, Surroundings around) {
        List<TaskSummary> tasks = new ArrayList<>(rows.size());
        for (TaskList.Row row : rows.reversed()) {
            tasks.add(row.task());
        }
        long now = around.time().now().getEpochSecond();
        around.out()
                .print(new TaskTable(tasks, now).table().render(around.width(), around.colours()));
    }

    private static void leftOut(TaskList list, Surroundings around) {
        around.out().flush();
        list.leftOut()
                .forEach(
                        (status, count) ->
                                around.note(
                                        count
                                                + " more "
                                                + status
                                                + ": `berth ls --status "
                                                + status
                                                + "` shows all"));
    }

    private static String nothing(@Nullable String status) {
        return status == null
                ? "No tasks yet. Submit one: berth submit --gpus 1 -- python train.py"
                : "No " + Clean.line(status) + " tasks. All there are: berth ls --all";
    }
}
