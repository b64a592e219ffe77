package dev.berth.engine;

import dev.berth.core.task.ShimProcess;

import java.util.OptionalLong;

/** What a person decides about a lost or stuck attempt. */
public sealed interface Resolution {

    /** It is over: its task has failed. */
    record Ended() implements Resolution {}

    /** It is over: its task gets a new attempt. */
    record Requeue() implements Resolution {}

    /** It runs as this process. */
    record Running(ShimProcess process) implements Resolution {}

    /** The name in the API. */
    default String apiName() {
        return switch (this) {
            case Ended _ -> "ended";
            case Requeue _ -> "requeue";
            case Running _ -> "running";
        };
    }

    default OptionalLong pid() {
        return this instanceof Running(var process)
                ? OptionalLong.of(process.key().pid())
                : OptionalLong.empty();
    }
}
