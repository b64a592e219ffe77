package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.UserUsage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Usage is the same with and without tasks in memory, and these are read once. */
class UsageCacheTest {

    private static final GpuId GPU = new GpuId("local", "GPU-0");
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final int MANY = UsageCache.MIN_NEW + 500;

    private final UsageCache cache = new UsageCache();
    private Database database;
    private SqliteTaskStore store;

    @BeforeEach
    void open(@TempDir Path home) throws Exception {
        database = Database.open(home.resolve("runtime/tasks.db"));
        store = new SqliteTaskStore(database);
        store.open();
        store.commit(List.of(new Change.GpuSaved(new Gpu(GPU, 0, "Simulated", 24576))));
        end(1, MANY);
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** A task each ten seconds; every task holds its GPU for a minute. */
    private void end(int first, int last) throws StoreFailure {
        var changes = new ArrayList<Change>();
        for (int id = first; id <= last; id++) {
            changes.addAll(ended(id, BEGIN.plusSeconds(10L * id)));
        }
        store.commit(changes);
    }

    private static List<Change> ended(int id, Instant start) {
        var end = start.plusSeconds(60);
        var shim = new ShimProcess(new ProcessKey("boot", id, id), start);
        var attempt =
                new Attempt(
                                new AttemptId(new TaskId(id), 1),
                                "local",
                                1,
                                "boot",
                                List.of(new Claim(GPU, 1000, false)),
                                start,
                                new Phase.Running(shim))
                        .after(new PhaseTransition.End(new Ending.Exited(0), end));
        var spec = TaskSpec.of("name", "true", Need.gpus(1), "/home");
        var task =
                Task.queued(
                                new TaskId(id),
                                Owner.unix("user" + id % 3),
                                spec,
                                start.minusMillis(id))
                        .after(new TaskTransition.Start(1))
                        .after(new TaskTransition.Complete(end));
        return List.of(new Change.TaskSaved(task), new Change.AttemptSaved(attempt));
    }

    private static Instant endOf(int id) {
        return BEGIN.plusSeconds(10L * id + 60);
    }

    private List<String> usage(UsageCache one, Instant from, Instant to) throws Exception {
        try (var session = database.openReader()) {
            return one.usage(session, from, to).stream().map(UsageCacheTest::show).toList();
        }
    }

    private static String show(UserUsage usage) {
        return "%s %s %.3f %s %s %s"
                .formatted(
                        usage.user(),
                        usage.tasks(),
                        usage.gpuSeconds(),
                        usage.meanWait(),
                        usage.waitPercentile(95),
                        usage.memory());
    }

    private void expectRightUsage(Instant from, Instant to) throws Exception {
        assertThat(usage(cache, from, to))
                .as("%s to %s", from, to)
                .isEqualTo(usage(new UsageCache(), from, to))
                .isNotEmpty();
    }

    @Test
    void endedTasksAreReadOnceAndNewOnesFollow() throws Exception {
        var to = endOf(MANY).plus(Duration.ofHours(1));
        expectRightUsage(BEGIN, to);
        assertThat(cache.reads()).isEqualTo(MANY);

        end(MANY + 1, MANY + 3);
        expectRightUsage(BEGIN, to);
        assertThat(cache.reads()).isEqualTo(MANY + 3);
    }

    @Test
    void anyPeriodWithinWhatIsKeptGetsItsOwnSums() throws Exception {
        expectRightUsage(BEGIN, endOf(MANY).plus(Duration.ofHours(1)));
        for (int id : List.of(0, 7, 700, MANY - 2)) {
            expectRightUsage(endOf(id).minusSeconds(33), endOf(id + 5).plusSeconds(2));
        }
        assertThat(cache.reads()).isEqualTo(MANY);
        // What is before was not kept.
        expectRightUsage(BEGIN.minusSeconds(100), endOf(5));
        assertThat(cache.reads()).isEqualTo(2 * MANY);
    }

    @Test
    void aTaskThatWasRemovedOrEndedEarlierCounts() throws Exception {
        var to = endOf(MANY).plus(Duration.ofHours(1));
        expectRightUsage(BEGIN, to);
        store.commit(List.of(new Change.TaskRemoved(new TaskId(5))));
        expectRightUsage(BEGIN, to);
        store.commit(ended(MANY + 1, BEGIN.plusSeconds(55)));
        expectRightUsage(BEGIN, to);
        assertThat(cache.reads()).isEqualTo(MANY + MANY - 1 + MANY);
    }

    @Test
    void anEndThatMayBeFollowedByAnEarlierOneIsNotKept() throws Exception {
        var to = endOf(MANY).plusSeconds(1);
        expectRightUsage(BEGIN, to);
        expectRightUsage(BEGIN, to);
        // Those of the last ten seconds.
        assertThat(cache.reads()).isEqualTo(MANY + 1);
    }
}
