package dev.berth.app.bench;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.predict.LearnedBuilder;
import dev.berth.core.task.Attempt;
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
import dev.berth.store.Database;
import dev.berth.store.HomeRefused;
import dev.berth.store.SqliteTaskQueries;
import dev.berth.store.SqliteTaskStore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures how long a server reads and learns the ended runs of earlier servers after its start.
 */
final class LearnedBench {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final int BATCH = 2000;
    private static final int USERS = 30;
    private static final int NAMES = 100;
    private static final int MAX_GPUS = 4;
    private static final int REPEATS = 5;

    private final BenchReport report;

    LearnedBench(BenchReport report) {
        this.report = report;
    }

    /**
     * @param directory a directory on the disk to measure; a temporary home is created there and
     *     removed
     */
    void run(Path directory, int tasks) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench");
        try {
            var database = Database.open(home.resolve("tasks.db"));
            try (var store = new SqliteTaskStore(database);
                    var queries = new SqliteTaskQueries(database)) {
                store.open();
                fill(store, tasks);
                measure(queries, tasks);
            }
        } catch (HomeRefused | StoreFailure failure) {
            throw new IOException(failure);
        } finally {
            BenchReport.delete(home);
        }
    }

    private static void fill(SqliteTaskStore store, int tasks) throws StoreFailure {
        var batch = new ArrayList<Change>();
        for (int number = 1; number <= tasks; number++) {
            batch.addAll(ended(number));
            if (batch.size() >= BATCH || number == tasks) {
                store.commit(batch);
                batch.clear();
            }
        }
    }

    /** The first time is that of a server: its JVM is as cold. */
    private void measure(SqliteTaskQueries queries, int tasks) throws StoreFailure {
        var millis = new double[REPEATS];
        int groups = 0;
        for (int i = 0; i < REPEATS; i++) {
            long begin = System.nanoTime();
            var builder = new LearnedBuilder();
            queries.readEndedRuns(tasks, builder::add);
            groups = builder.build().groups().size();
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        report.line(
                "read and learn %,d ended tasks".formatted(tasks),
                "first %.0f ms, p50 %.0f ms; %,d groups"
                        .formatted(millis[0], Percentiles.of(millis).p(50), groups));
    }

    private static List<Change> ended(int number) {
        var start = BEGIN.plusSeconds(number);
        var end = start.plusSeconds(60 + number % 600);
        var id = new TaskId(number);
        var shim = new ShimProcess(new ProcessKey("boot", number, number), start);
        var attempt =
                new Attempt(
                                new AttemptId(id, 1),
                                "here",
                                1,
                                "boot",
                                List.of(),
                                start,
                                new Phase.Running(shim))
                        .after(new PhaseTransition.End(new Ending.Exited(0), end));
        var spec =
                TaskSpec.of(
                        "train " + number % NAMES,
                        "python train.py --config " + number % NAMES + ".yaml --seed " + number,
                        Need.gpus(1 + number % MAX_GPUS),
                        "/home/user");
        var task =
                Task.queued(id, Owner.unix("user-" + number % USERS), spec, start)
                        .after(new TaskTransition.Start(1))
                        .after(new TaskTransition.Complete(end));
        return List.of(new Change.TaskSaved(task), new Change.AttemptSaved(attempt));
    }
}
