package dev.berth.core.task;

import java.time.Instant;
import java.util.Optional;

/**
 * An attempt that came to life: its shim's process and when that was.
 *
 * @param window the tmux session that follows its log, if there is one
 */
public record Run(ProcessKey process, Instant startedAt, Optional<String> window) {

    public Run(ProcessKey process, Instant startedAt) {
        this(process, startedAt, Optional.empty());
    }

    public Run with(Optional<String> other) {
        return new Run(process, startedAt, other);
    }
}
