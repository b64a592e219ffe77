package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Which rows SQLite reads for the usage of a period. It must not read the whole history. */
class UsageQueryPlanTest {

    @TempDir private Path home;

    @Test
    void endedTasksAreReadByTheirEndsInThatOrder() throws Exception {
        assertThat(plan(UsedTaskQuery.FINISHED))
                .contains("tasks_by_end (finished_at>?)")
                .contains("SEARCH a USING PRIMARY KEY (task=?)")
                .doesNotContain("SCAN")
                .doesNotContain("TEMP B-TREE");
    }

    @Test
    void unfinishedTasksAreReadByTheirState() throws Exception {
        assertThat(plan(UsedTaskQuery.RUNNING)).contains("tasks_by_status (status=?)");
        assertThat(plan(UsedTaskQuery.RUN_BEFORE)).contains("tasks_run_before");
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
