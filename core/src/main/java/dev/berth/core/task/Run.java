package dev.berth.core.task;

import java.time.Instant;

/** An attempt that came to life: its shim's process and when that was. */
public record Run(ProcessKey process, Instant startedAt) {}
