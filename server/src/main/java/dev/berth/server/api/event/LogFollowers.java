package dev.berth.server.api.event;

import dev.berth.core.id.TaskId;
import dev.berth.http.RejectedException;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskLogs;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.stream.LogFollower;

/** Creates followers for the logs of existing tasks. */
public record LogFollowers(TaskLookup tasks, TaskLogs logs) {

    public LogFollower follow(TaskId task, long from) throws RejectedException, StoreFailure {
        var _ = tasks.find(task);
        var sources = new LogFollower.LogSources(tasks.engine().loop(), tasks.queries(), logs);
        return new LogFollower(sources, task, from);
    }
}
