package dev.berth.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.id.TaskId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The allowed transitions, and that no others exist. */
class TaskStateTest {

    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    private static final List<TaskState> STATES =
            List.of(
                    new TaskState.Pending(),
                    new TaskState.Queued(),
                    new TaskState.Handed(1),
                    new TaskState.Running(1),
                    new TaskState.Completed(AT),
                    new TaskState.Failed(AT, "exit code 1"),
                    new TaskState.Cancelled(AT));

    private static final List<TaskTransition> MOVES =
            List.of(
                    new TaskTransition.Enqueue(AT),
                    new TaskTransition.HandOver(1),
                    new TaskTransition.Start(1),
                    new TaskTransition.Requeue(AT),
                    new TaskTransition.Retry(AT, Optional.of(AT.plusSeconds(9))),
                    new TaskTransition.Complete(AT),
                    new TaskTransition.Fail(AT, "exit code 1"),
                    new TaskTransition.Cancel(AT));

    private static final Set<String> ALLOWED =
            Set.of(
                    "pending enqueue queued",
                    "pending hand over handed",
                    "pending start running",
                    "pending cancel cancelled",
                    "queued hand over handed",
                    "handed start running",
                    "handed complete completed",
                    "handed fail failed",
                    "handed cancel cancelled",
                    "handed requeue queued",
                    "handed retry queued",
                    "queued start running",
                    "queued fail failed",
                    "queued cancel cancelled",
                    "running complete completed",
                    "running fail failed",
                    "running cancel cancelled",
                    "running requeue queued",
                    "running retry queued");

    static Stream<Arguments> everyStateWithEveryMove() {
        return STATES.stream()
                .flatMap(state -> MOVES.stream().map(move -> Arguments.of(state, move)));
    }

    @ParameterizedTest
    @MethodSource("everyStateWithEveryMove")
    void onlyTheDocumentedTransitionsExist(TaskState state, TaskTransition move) {
        if (ALLOWED.contains(name(state) + " " + step(move))) {
            assertThat(step(move)).endsWith(name(state.after(move)));
        } else {
            assertThatThrownBy(() -> state.after(move)).isInstanceOf(IllegalTransition.class);
        }
    }

    /** For users a task that waits in a cluster is queued. */
    private static String name(TaskState state) {
        return state instanceof TaskState.Handed ? "handed" : state.apiName();
    }

    @Test
    void aDraftIsQueuedLaterThanItIsCreated() {
        var spec = TaskSpec.of("x", "true", Need.CPU, "/");
        var draft = Task.draft(new TaskId(1), Owner.unix("ann"), spec, AT);
        var queued = draft.after(new TaskTransition.Enqueue(AT.plusSeconds(5)));
        assertThat(draft.queuedAt()).isEmpty();
        assertThat(queued.queuedAt()).contains(AT.plusSeconds(5));
        assertThat(queued.createdAt()).isEqualTo(AT);
        var running = queued.after(new TaskTransition.Start(1));
        assertThat(running.queuedAt()).contains(AT.plusSeconds(5));
        assertThat(running.after(new TaskTransition.Requeue(AT.plusSeconds(9))).queuedAt())
                .contains(AT.plusSeconds(5));
    }

    @Test
    void eachRetryHasItsOwnUniId() {
        var spec = TaskSpec.of("x", "true", Need.CPU, "/");
        var task = Task.queued(new TaskId(1), Owner.unix("ann"), spec, AT);
        var other = Task.queued(new TaskId(2), Owner.unix("ann"), spec, AT.plusNanos(1000));
        var again = task.after(new TaskTransition.Start(1)).after(new TaskTransition.Requeue(AT));
        var retried =
                again.after(new TaskTransition.Start(2))
                        .after(new TaskTransition.Retry(AT, Optional.of(AT.plusSeconds(600))));
        assertThat(again.uniId()).isEqualTo(task.uniId()).isNotEqualTo(other.uniId());
        assertThat(retried.uniId()).isNotEqualTo(task.uniId());
        assertThat(retried.retries()).isEqualTo(1);
        assertThat(retried.notBefore()).contains(AT.plusSeconds(600));
        assertThat(retried.uniId(0)).isEqualTo(task.uniId());
        assertThat(retried.after(new TaskTransition.Start(3)).notBefore()).isEmpty();
    }

    @Test
    void afterEveryThirdRetryTheNextOneIsDelayed() {
        var backoff = new Backoff(3, Duration.ofSeconds(5));
        var waits = new ArrayList<Long>();
        for (int retry = 1; retry <= 7; retry++) {
            waits.add(
                    backoff.notBefore(retry, AT)
                            .map(until -> Duration.between(AT, until).toSeconds())
                            .orElse(0L));
        }
        assertThat(waits).containsExactly(0L, 0L, 0L, 5L, 0L, 0L, 5L);
    }

    private static String step(TaskTransition move) {
        return switch (move) {
            case TaskTransition.Enqueue _ -> "enqueue queued";
            case TaskTransition.HandOver _ -> "hand over handed";
            case TaskTransition.Start _ -> "start running";
            case TaskTransition.Requeue _ -> "requeue queued";
            case TaskTransition.Retry _ -> "retry queued";
            case TaskTransition.Complete _ -> "complete completed";
            case TaskTransition.Fail _ -> "fail failed";
            case TaskTransition.Cancel _ -> "cancel cancelled";
        };
    }
}
