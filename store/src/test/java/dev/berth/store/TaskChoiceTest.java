package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.TaskSource;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Which index SQLite reads for a list of tasks. It must never sort all tasks of a filter. */
class TaskChoiceTest {

    @TempDir private Path home;

    @Test
    void aStatusInAnotherOrderReadsTheIndexOfThatOrder() throws Exception {
        assertThat(plan(filter("completed", null, true), TaskOrder.Key.END))
                .contains("tasks_by_end")
                .doesNotContain("TEMP B-TREE");
        assertThat(plan(filter("completed", null, false), TaskOrder.Key.NAME))
                .contains("tasks_by_name")
                .doesNotContain("TEMP B-TREE");
        assertThat(plan(filter("completed", null, false), TaskOrder.Key.OWNER))
                .contains("tasks_by_owner")
                .doesNotContain("TEMP B-TREE");
    }

    @Test
    void aStatusById() throws Exception {
        assertThat(plan(filter("queued", null, false), TaskOrder.Key.ID))
                .contains("tasks_by_status")
                .doesNotContain("TEMP B-TREE");
    }

    @Test
    void theTasksOfOneOwnerInOneStatusHaveTheirIndex() throws Exception {
        assertThat(plan(filter("queued", "alice", false), TaskOrder.Key.ID))
                .contains("tasks_by_owner_and_status (owner_name=? AND status=?")
                .doesNotContain("TEMP B-TREE");
        assertThat(explain(TaskChoice.counted(filter("queued", "alice", false))))
                .contains("COVERING INDEX tasks_by_owner_and_status");
    }

    @Test
    void theTasksOfOneOwnerAreReadById() throws Exception {
        assertThat(plan(filter(null, "alice", false), TaskOrder.Key.ID))
                .contains("tasks_by_owner (owner_name=?")
                .doesNotContain("TEMP B-TREE");
    }

    private static Filter filter(@Nullable String status, @Nullable String owner, boolean isEnded) {
        return new Filter(
                Optional.ofNullable(status),
                Optional.<TaskSource>empty(),
                Optional.ofNullable(owner),
                List.of(),
                isEnded);
    }

    private String plan(Filter filter, TaskOrder.Key key) throws Exception {
        var page =
                new Page(
                        OptionalInt.of(200),
                        Optional.empty(),
                        OptionalLong.empty(),
                        new TaskOrder(key, true));
        return explain(TaskChoice.ordered(filter, page));
    }

    private String explain(TaskChoice choice) throws Exception {
        var database = Database.open(home.resolve("runtime/tasks.db"));
        var plan = new StringBuilder();
        try (var session = database.openReader();
                var row =
                        choice.query(session, "EXPLAIN QUERY PLAN SELECT t.id FROM tasks t", "")) {
            var detail = row.column("detail");
            while (row.next()) {
                plan.append(row.text(detail)).append('\n');
            }
        }
        return plan.toString();
    }
}
