package dev.berth.core.task;

import java.time.Instant;

/** Where a task stands. The last three are final. */
public sealed interface TaskState {

    /** A draft: it is not scheduled until somebody says so. */
    record Pending() implements TaskState {}

    /** Waiting in its line. */
    record Queued() implements TaskState {}

    /** Attempt {@code number} has been granted its cards; its phase says how far it is. */
    record Running(int number) implements TaskState {}

    record Completed(Instant at) implements TaskState {}

    record Failed(Instant at, String error) implements TaskState {}

    record Cancelled(Instant at) implements TaskState {}

    default boolean isFinal() {
        return switch (this) {
            case Pending _, Queued _, Running _ -> false;
            case Completed _, Failed _, Cancelled _ -> true;
        };
    }

    /** The word on the wire. */
    default String word() {
        return switch (this) {
            case Pending _ -> "pending";
            case Queued _ -> "queued";
            case Running _ -> "running";
            case Completed _ -> "completed";
            case Failed _ -> "failed";
            case Cancelled _ -> "cancelled";
        };
    }

    /** The only way a state becomes another. */
    default TaskState after(TaskMove move) {
        return switch (this) {
            case Pending _ ->
                    switch (move) {
                        case TaskMove.Enqueue _ -> new Queued();
                        case TaskMove.Start(int number) -> new Running(number);
                        case TaskMove.Cancel(Instant at) -> new Cancelled(at);
                        case TaskMove.Requeue _,
                                TaskMove.Retry _,
                                TaskMove.Complete _,
                                TaskMove.Fail _ ->
                                throw new IllegalMove(this, move);
                    };
            case Queued _ ->
                    switch (move) {
                        case TaskMove.Start(int number) -> new Running(number);
                        case TaskMove.Fail(Instant at, String error) -> new Failed(at, error);
                        case TaskMove.Cancel(Instant at) -> new Cancelled(at);
                        case TaskMove.Enqueue _,
                                TaskMove.Requeue _,
                                TaskMove.Retry _,
                                TaskMove.Complete _ ->
                                throw new IllegalMove(this, move);
                    };
            case Running _ ->
                    switch (move) {
                        case TaskMove.Requeue _, TaskMove.Retry _ -> new Queued();
                        case TaskMove.Complete(Instant at) -> new Completed(at);
                        case TaskMove.Fail(Instant at, String error) -> new Failed(at, error);
                        case TaskMove.Cancel(Instant at) -> new Cancelled(at);
                        case TaskMove.Enqueue _, TaskMove.Start _ ->
                                throw new IllegalMove(this, move);
                    };
            case Completed _, Failed _, Cancelled _ -> throw new IllegalMove(this, move);
        };
    }
}
