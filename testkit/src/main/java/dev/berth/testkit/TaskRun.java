package dev.berth.testkit;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.port.read.GpuRun;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/** An attempt of an ended task in a {@link MemoryStore}. */
record TaskRun(Task task, Attempt attempt) {

    static final Comparator<TaskRun> LAST_FIRST =
            Comparator.comparing((TaskRun run) -> finishedAt(run.task))
                    .thenComparing(run -> run.attempt.id())
                    .reversed();

    /** Empty if it held no GPU within the period. */
    Optional<TaskRun> between(Instant from, Instant to) {
        return !attempt.claims().isEmpty()
                        && attempt.scheduledAt().isBefore(to)
                        && attempt.phase() instanceof Phase.Ended(_, _, var end)
                        && end.isAfter(from)
                ? Optional.of(this)
                : Optional.empty();
    }

    GpuRun endedRun() {
        boolean isLast = attempt.id().number() == task.attempts();
        return new GpuRun(
                attempt.id(),
                task.spec().name(),
                task.owner().name(),
                isLast ? task.state().apiName() : "failed",
                attempt.claims().stream().map(Claim::gpu).sorted().toList(),
                attempt.scheduledAt(),
                ((Phase.Ended) attempt.phase()).at());
    }

    private static Instant finishedAt(Task task) {
        return switch (task.state()) {
            case TaskState.Completed(var at) -> at;
            case TaskState.Failed(var at, _) -> at;
            case TaskState.Cancelled(var at) -> at;
            case TaskState.Pending _, TaskState.Queued _, TaskState.Handed _, TaskState.Running _ ->
                    throw new IllegalStateException("not ended: " + task.id());
        };
    }
}
