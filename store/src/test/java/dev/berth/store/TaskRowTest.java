package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Need;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How a task is written again when its state has changed. */
class TaskRowTest {

    @TempDir private Path home;

    @Test
    void updateWritesNoIndexOfNameOwnerOrSource() throws Exception {
        try (var opened = new SqliteHome(home)) {
            opened.anotherServer().open();
            assertThat(writtenBy(TaskRow.UPSERT))
                    .contains("tasks", "tasks_by_status", "tasks_by_name", "tasks_by_source");
            assertThat(writtenBy(TaskRow.UPDATE))
                    .contains("tasks", "tasks_by_status", "tasks_by_owner_and_status")
                    .doesNotContain("tasks_by_name", "tasks_by_owner", "tasks_by_source");
        }
    }

    @Test
    void taskThatIsMissingOrHasAnotherNameIsWrittenAsAWhole() throws Exception {
        var first = SampleTasks.task(1);
        var renamed =
                Task.queued(
                        first.id(),
                        first.owner(),
                        TaskSpec.of("another name", "true", Need.CPU, "/home/alice"),
                        first.createdAt());
        try (var opened = new SqliteHome(home)) {
            var store = opened.anotherServer();
            store.open();
            SampleTasks.save(store, first);
            try (var session = database().openWriter()) {
                assertThat(TaskRow.update(session, first)).isTrue();
                assertThat(TaskRow.update(session, renamed)).isFalse();
                assertThat(TaskRow.update(session, SampleTasks.task(2))).isFalse();
            }
            SampleTasks.save(store, renamed.stored(), SampleTasks.task(2).stored());
            assertThat(opened.anotherServer().open().tasks())
                    .extracting(task -> task.spec().name())
                    .containsExactly("another name", "task 2");
        }
    }

    /** The tables and indexes that a statement opens to write them. */
    private List<String> writtenBy(SqlTable.RowWrite write) throws Exception {
        try (var session = database().openWriter()) {
            var written = new ArrayList<String>();
            for (var page : pagesWrittenBy(session, write)) {
                var named = session.prepared("SELECT name FROM sqlite_schema WHERE rootpage = ?");
                try (var row = named.add(page).query()) {
                    assertThat(row.next()).isTrue();
                    written.add(row.text(row.column("name")));
                }
            }
            return written;
        }
    }

    private static List<Long> pagesWrittenBy(SqlSession session, SqlTable.RowWrite write)
            throws Exception {
        try (var row = session.prepared("EXPLAIN " + write.sql()).query()) {
            var pages = new ArrayList<Long>();
            var opcode = row.column("opcode");
            var page = row.column("p2");
            while (row.next()) {
                if (row.text(opcode).equals("OpenWrite")) {
                    pages.add(row.number(page));
                }
            }
            return pages;
        }
    }

    private Database database() throws Exception {
        return Database.open(home.resolve("runtime/tasks.db"));
    }
}
