package dev.berth.store;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskStore;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** Sample tasks for the tests of this package. */
final class SampleTasks {

    static final Instant NOON = Instant.parse("2031-05-06T12:00:00.123456Z");

    private SampleTasks() {}

    static Task task(long id) {
        return task(id, Priority.NORMAL, "true");
    }

    static Task task(long id, Priority priority, String command) {
        var spec = TaskSpec.of("task " + id, command, Need.CPU, "/home/alice").with(priority);
        return Task.queued(new TaskId(id), Owner.unix("alice"), spec, NOON.plusNanos(id * 1000));
    }

    static void save(TaskStore store, Task... tasks) throws StoreFailure {
        store.commit(Arrays.stream(tasks).<Change>map(Change.TaskSaved::new).toList());
    }

    static List<Long> ids(List<Task> tasks) {
        return tasks.stream().map(task -> task.id().value()).toList();
    }
}
