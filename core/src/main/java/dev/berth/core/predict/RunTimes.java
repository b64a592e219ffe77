package dev.berth.core.predict;

import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.util.Optional;

/** The run times of tasks to come. */
@FunctionalInterface
public interface RunTimes {

    /** Nothing is known of any task. */
    RunTimes NONE = (_, _) -> Optional.empty();

    /** Fewer earlier runs are no base for a promise to other tasks. */
    int MIN_RUNS_FOR_BOUND = 5;

    /** Empty if no earlier run is like this task. */
    Optional<RunTime> of(Owner owner, TaskSpec spec);

    /**
     * How long such a task will probably hold its GPUs, as far as anything is known that helps to
     * sort tasks. Also by runs of other tasks, so it is not shown to anybody.
     */
    default Optional<Duration> expected(Owner owner, TaskSpec spec) {
        return of(owner, spec).map(RunTime::median);
    }

    default Optional<RunTime> of(Task task) {
        return of(task.owner(), task.spec());
    }

    /**
     * How long a task will run at most: its time limit, which is enforced; without one, as long as
     * nine of ten of at least five earlier runs.
     */
    default Optional<Duration> bound(Task task) {
        return task.spec()
                .options()
                .timeLimit()
                .or(
                        () ->
                                of(task).filter(time -> time.runs() >= MIN_RUNS_FOR_BOUND)
                                        .map(RunTime::p90));
    }
}
