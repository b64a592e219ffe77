package dev.berth.core.task;

import java.time.Instant;
import java.util.OptionalInt;

/** State of a task. The last three are final. */
public sealed interface TaskState {

    /** A draft: it is not scheduled until a person starts or queues it. */
    record Pending() implements TaskState {}

    /** Waiting in its queue. */
    record Queued() implements TaskState {}

    /** Attempt {@code number} waits in the queue of a cluster; for users the task is queued. */
    record Handed(int number) implements TaskState {}

    /** Attempt {@code number} holds its GPUs; its phase is the state of its processes. */
    record Running(int number) implements TaskState {}

    record Completed(Instant at) implements TaskState {}

    record Failed(Instant at, String error) implements TaskState {}

    record Cancelled(Instant at) implements TaskState {}

    default boolean isFinal() {
        return switch (this) {
            case Pending _, Queued _, Handed _, Running _ -> false;
            case Completed _, Failed _, Cancelled _ -> true;
        };
    }

    /** The name in the API. */
    default String apiName() {
        return switch (this) {
            case Pending _ -> "pending";
            case Queued _, Handed _ -> "queued";
            case Running _ -> "running";
            case Completed _ -> "completed";
            case Failed _ -> "failed";
            case Cancelled _ -> "cancelled";
        };
    }

    /** The only transition function of states. */
    default TaskState after(TaskTransition move) {
        return switch (this) {
            case Pending _ ->
                    switch (move) {
                        case TaskTransition.Enqueue _ -> new Queued();
                        case TaskTransition.HandOver(int number) -> new Handed(number);
                        case TaskTransition.Start(int number) -> new Running(number);
                        case TaskTransition.Cancel(Instant at) -> new Cancelled(at);
                        case TaskTransition.Requeue _,
                                TaskTransition.Retry _,
                                TaskTransition.Complete _,
                                TaskTransition.Fail _ ->
                                throw new IllegalTransition(this, move);
                    };
            case Queued _ ->
                    switch (move) {
                        case TaskTransition.HandOver(int number) -> new Handed(number);
                        case TaskTransition.Start(int number) -> new Running(number);
                        case TaskTransition.Fail(Instant at, String error) -> new Failed(at, error);
                        case TaskTransition.Cancel(Instant at) -> new Cancelled(at);
                        case TaskTransition.Enqueue _,
                                TaskTransition.Requeue _,
                                TaskTransition.Retry _,
                                TaskTransition.Complete _ ->
                                throw new IllegalTransition(this, move);
                    };
            case Handed _ ->
                    move instanceof TaskTransition.Start(int number)
                            ? new Running(number)
                            : afterAttempt(move);
            case Running _ -> afterAttempt(move);
            case Completed _, Failed _, Cancelled _ -> throw new IllegalTransition(this, move);
        };
    }

    /** The attempt of this state has ended. */
    private TaskState afterAttempt(TaskTransition move) {
        return switch (move) {
            case TaskTransition.Requeue _, TaskTransition.Retry _ -> new Queued();
            case TaskTransition.Complete(Instant at) -> new Completed(at);
            case TaskTransition.Fail(Instant at, String error) -> new Failed(at, error);
            case TaskTransition.Cancel(Instant at) -> new Cancelled(at);
            case TaskTransition.Enqueue _, TaskTransition.HandOver _, TaskTransition.Start _ ->
                    throw new IllegalTransition(this, move);
        };
    }

    /** The number of its live attempt; empty if it has none. */
    default OptionalInt liveAttempt() {
        return switch (this) {
            case Handed(int number) -> OptionalInt.of(number);
            case Running(int number) -> OptionalInt.of(number);
            case Pending _, Queued _, Completed _, Failed _, Cancelled _ -> OptionalInt.empty();
        };
    }

    /** Whether it waits, in its queue or in that of a cluster. */
    default boolean isWaiting() {
        return this instanceof Queued || this instanceof Handed;
    }
}
