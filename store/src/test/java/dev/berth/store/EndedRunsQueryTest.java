package dev.berth.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.predict.Learned;
import dev.berth.core.predict.RunKind;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.GpuConsumption;
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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

class EndedRunsQueryTest {

    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final Owner ANN = Owner.unix("ann");

    /** Higher for a measurement. */
    private static final int TASKS = Integer.getInteger("berth.runs", 300);

    @TempDir Path directory;

    private static TaskSpec spec(int number) {
        return TaskSpec.of("train " + number % 3, "./train --seed " + number, Need.gpus(1), "/");
    }

    private static List<Change> run(int number, boolean isComplete) {
        var start = T0.plusSeconds(number);
        var end = start.plusSeconds(60 + number % 10);
        var attempt =
                new Attempt(
                                new AttemptId(new TaskId(number), 1),
                                "here",
                                1,
                                "boot",
                                List.of(),
                                start,
                                new Phase.Running(
                                        new ShimProcess(new ProcessKey("boot", 7, 7), start)))
                        .after(new PhaseTransition.End(new Ending.Exited(isComplete ? 0 : 1), end))
                        .with(
                                new AttemptFindings(
                                        Optional.empty(),
                                        Optional.of(
                                                new GpuConsumption(
                                                        1000 + number,
                                                        500,
                                                        OptionalInt.empty(),
                                                        OptionalInt.empty(),
                                                        Duration.ofSeconds(9)))));
        var task =
                Task.queued(new TaskId(number), ANN, spec(number), start)
                        .after(new TaskTransition.Start(1))
                        .after(
                                isComplete
                                        ? new TaskTransition.Complete(end)
                                        : new TaskTransition.Fail(end, "exit code 1"));
        return List.of(new Change.TaskSaved(task), new Change.AttemptSaved(attempt));
    }

    @Test
    void endedRunsAreReadOldestFirstWithoutForgottenOnes() throws StoreFailure, HomeRefused {
        var database = Database.open(directory.resolve("tasks.db"));
        try (var store = new SqliteTaskStore(database);
                var queries = new SqliteTaskQueries(database)) {
            store.open();
            var batch = new ArrayList<Change>();
            for (int number = 1; number <= TASKS; number++) {
                batch.addAll(run(number, number % 2 == 0));
                if (batch.size() > 4000) {
                    store.commit(batch);
                    batch.clear();
                }
            }
            var first = RunKind.of(ANN, spec(1)).fingerprint();
            batch.add(new Change.RunsForgotten(first, T0.plusSeconds(100)));
            store.commit(batch);

            var ids = new ArrayList<Long>();
            var learned = new Learned[] {Learned.NOTHING};
            queries.readEndedRuns(
                    100_000,
                    (kind, run) -> {
                        learned[0] = learned[0].with(kind, run);
                        ids.add(run.task().value());
                    });

            assertThat(ids).isSorted().hasSizeGreaterThan(TASKS - 40).doesNotContain(1L, 4L);
            assertThat(ids).contains(2L, 3L, (long) TASKS);
            var known = learned[0].of(ANN, spec(1)).orElseThrow();
            assertThat(known.runs()).isEqualTo(10);
            assertThat(known.median()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(70));
            assertThat(learned[0].memoryMib(ANN, spec(1))).isPresent();
        }
    }
}
