package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Which rows SQLite reads for the usage of a period. It must not read the whole history. */
class UsageQueryPlanTest {

    @TempDir private Path home;

    @Test
    void attemptsAreReadByTheirEnds() throws Exception {
        assertThat(plan(UserUsageQuery.HELD))
                .contains("SEARCH attempt USING INDEX attempt_by_end (ended_at>?)")
                .contains("SCAN attempt USING INDEX attempt_live")
                .contains("SEARCH t USING INTEGER PRIMARY KEY")
                .doesNotContain("SCAN t ")
                .doesNotContain("SCAN attempt\n");
    }

    @Test
    void tasksAreReadByTheirEndsAndUnfinishedOnesByTheirState() throws Exception {
        assertThat(plan(UserUsageQuery.TASKS))
                .contains("tasks_by_end (finished_at>? AND finished_at<?)")
                .contains("tasks_by_end (finished_at>?)")
                .contains("tasks_by_status (status=?)")
                .contains("tasks_run_before")
                .doesNotContain("tasks_by_owner");
    }

    private String plan(String sql) throws Exception {
        var database = Database.open(home.resolve("runtime/tasks.db"));
        var plan = new StringBuilder();
        try (var session = database.openReader();
                var row = session.prepared("EXPLAIN QUERY PLAN " + sql).query()) {
            var detail = row.column("detail");
            while (row.next()) {
                plan.append(row.text(detail)).append('\n');
            }
        }
        return plan.toString();
    }
}
