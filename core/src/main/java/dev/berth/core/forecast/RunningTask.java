package dev.berth.core.forecast;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Task;

/** A task that runs now. */
public record RunningTask(Task task, Attempt attempt) {}
