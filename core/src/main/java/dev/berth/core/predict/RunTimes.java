package dev.berth.core.predict;

import dev.berth.core.task.TaskSpec;

import java.util.Optional;

/** The run times of tasks to come. */
@FunctionalInterface
public interface RunTimes {

    /** Nothing is known of any task. */
    RunTimes NONE = _ -> Optional.empty();

    /** Empty if no earlier run is like this task. */
    Optional<RunTime> of(TaskSpec spec);
}
