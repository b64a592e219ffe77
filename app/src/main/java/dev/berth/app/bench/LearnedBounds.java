package dev.berth.app.bench;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.RunBounds;
import dev.berth.core.predict.Learned;
import dev.berth.core.predict.PastRun;
import dev.berth.core.predict.RunKind;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** The latest ends of tasks, learned from earlier runs as in the server. */
final class LearnedBounds implements RunBounds {

    private static final int RUNS = 20;
    private static final int NAMES = 100;
    private static final Duration RUNNING = Duration.ofHours(2);

    private final Instant now;
    private Learned learned = Learned.NOTHING;
    private PersistentMap<TaskId, Task> running = PersistentMap.empty();

    LearnedBounds(Instant now) {
        this.now = now;
    }

    static TaskId runningTask(int index) {
        return new TaskId(1_000_000L + index);
    }

    /** Such tasks have taken about this time so far. */
    void learn(Task task, Duration length) {
        var kind = RunKind.of(task.owner(), task.spec());
        for (int run = 0; run < RUNS; run++) {
            var took = length.plusMillis(run * 37 % RUNS);
            var ended = now.minus(Duration.ofDays(1)).plusSeconds(run);
            learned =
                    learned.with(
                            kind,
                            new PastRun(
                                    task.id(),
                                    kind.fingerprint(),
                                    kind.command(),
                                    ended,
                                    took,
                                    true,
                                    OptionalLong.of(1000)));
        }
    }

    /** One more running task; the tasks end one after another within two hours. */
    void run(int index) {
        var spec = TaskSpec.of("running-" + index % NAMES, "true", Need.gpus(1), "/");
        var since = now.minus(RUNNING).plusSeconds(1 + index * 7L);
        var task = Task.queued(runningTask(index), Owner.unix("user-1"), spec, since);
        learn(task, RUNNING);
        running = running.with(task.id(), task);
    }

    @Override
    public Optional<Instant> end(AttemptId attempt) {
        return running.get(attempt.task())
                .flatMap(task -> length(task).map(task.waitingSince()::plus));
    }

    @Override
    public Optional<Duration> length(Task waiting) {
        return learned.bound(waiting);
    }
}
