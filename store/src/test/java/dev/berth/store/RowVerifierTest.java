package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Change;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What it costs to read a hundred thousand rows at a start. */
class RowVerifierTest {

    private static final int TASKS = 20;
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @TempDir private Path home;

    private final Map<String, Integer> calls = new TreeMap<>();

    @Test
    void aColumnThatIsMostlyNullTakesOneCallAndEqualTextsAreInMemoryOnce() throws Exception {
        var tasks = read();

        assertThat(tasks).hasSize(TASKS);
        // Each row asks for each column; what is NULL in two rows in a row, for its type alone.
        int columns = TaskRow.TABLE.size();
        int values = calls.get("getLong") + calls.get("getBytes");
        assertThat(values).isLessThan(columns * TASKS - (TASKS - 2) * 5);
        // For a column that is not NULL after all, and for 0.
        assertThat(calls.getOrDefault("wasNull", 0)).isLessThan(5 * TASKS);
        assertThat(tasks.getLast().spec().script().workDir())
                .isSameAs(tasks.getFirst().spec().script().workDir());
        assertThat(tasks.get(4).spec().name()).isEqualTo("name 4");
        assertThat(tasks.get(5).spec().options().timeLimit()).isPresent();
        assertThat(tasks.get(6).spec().options().timeLimit()).isEmpty();
    }

    private List<Task> read() throws Exception {
        var database = Database.open(home.resolve("runtime/tasks.db"));
        try (var store = new SqliteTaskStore(database)) {
            store.open();
            var changes = new ArrayList<Change>();
            for (int id = 0; id < TASKS; id++) {
                var spec = TaskSpec.of("name " + id, "true", Need.gpus(1), "/home/ann");
                var limited = id % 5 == 0 ? spec.with(Duration.ofHours(1)) : spec;
                changes.add(
                        new Change.TaskSaved(
                                Task.queued(new TaskId(id + 1), Owner.unix("ann"), limited, NOON)));
            }
            store.commit(changes);
        }
        var tasks = new ArrayList<Task>();
        try (var connection = Database.reader(database.file());
                var statement = connection.prepareStatement(TaskRow.TABLE.select("ORDER BY id"));
                var result = statement.executeQuery()) {
            var row =
                    ResultRow.of(
                            counted(result),
                            CheckedResult.of(result.getMetaData()),
                            ResultRow.NullChecksum.DAMAGE);
            while (row.next()) {
                tasks.add(TaskRow.read(row));
            }
        }
        return tasks;
    }

    private ResultSet counted(ResultSet result) {
        return (ResultSet)
                Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {ResultSet.class},
                        (_, method, arguments) -> {
                            calls.merge(method.getName(), 1, Integer::sum);
                            try {
                                return method.invoke(result, arguments);
                            } catch (InvocationTargetException failed) {
                                throw failed.getCause();
                            }
                        });
    }
}
