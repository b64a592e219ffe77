package dev.berth.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Which moves exist, and that no other does. */
class TaskStateTest {

    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    private static final List<TaskState> STATES =
            List.of(
                    new TaskState.Queued(),
                    new TaskState.Running(1),
                    new TaskState.Completed(AT),
                    new TaskState.Failed(AT, "exit code 1"),
                    new TaskState.Cancelled(AT));

    private static final List<TaskMove> MOVES =
            List.of(
                    new TaskMove.Start(1),
                    new TaskMove.Requeue(),
                    new TaskMove.Complete(AT),
                    new TaskMove.Fail(AT, "exit code 1"),
                    new TaskMove.Cancel(AT));

    private static final Set<String> ALLOWED =
            Set.of(
                    "queued->running",
                    "queued->failed",
                    "queued->cancelled",
                    "running->completed",
                    "running->failed",
                    "running->cancelled",
                    "running->queued");

    static Stream<Arguments> everyStateWithEveryMove() {
        return STATES.stream()
                .flatMap(state -> MOVES.stream().map(move -> Arguments.of(state, move)));
    }

    @ParameterizedTest
    @MethodSource("everyStateWithEveryMove")
    void onlyTheMovesOfTheLedgerExist(TaskState state, TaskMove move) {
        var step = state.word() + "->" + target(move);
        if (ALLOWED.contains(step)) {
            assertThat(state.after(move).word()).isEqualTo(target(move));
        } else {
            assertThatThrownBy(() -> state.after(move)).isInstanceOf(IllegalMove.class);
        }
    }

    private static String target(TaskMove move) {
        return switch (move) {
            case TaskMove.Start _ -> "running";
            case TaskMove.Requeue _ -> "queued";
            case TaskMove.Complete _ -> "completed";
            case TaskMove.Fail _ -> "failed";
            case TaskMove.Cancel _ -> "cancelled";
        };
    }
}
