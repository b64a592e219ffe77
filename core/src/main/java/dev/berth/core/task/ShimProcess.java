package dev.berth.core.task;

import java.time.Instant;
import java.util.Optional;

/**
 * The process of an attempt's shim.
 *
 * @param tmuxSession name of the tmux session that shows the log, if there is one
 */
public record ShimProcess(ProcessKey key, Instant startedAt, Optional<String> tmuxSession) {

    public ShimProcess(ProcessKey process, Instant startedAt) {
        this(process, startedAt, Optional.empty());
    }

    public ShimProcess with(Optional<String> other) {
        return new ShimProcess(key, startedAt, other);
    }
}
