package dev.berth.server.api.event;

import dev.berth.core.id.TaskId;
import dev.berth.http.Caller;
import dev.berth.http.Param;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteRequest;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskLogs.LogPart;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.stream.LogFollower;

/** Creates followers for the logs of existing tasks. */
public record LogFollowers(TaskLookup tasks, TaskLogs logs) {

    public static final Param<Boolean> BANNER =
            Param.flag(
                    "banner",
                    "false leaves out the lines that Berth writes before and after the task's"
                            + " output");

    public static LogPart part(RouteRequest call) throws RejectedException {
        return call.query(BANNER).orElse(true) ? LogPart.WHOLE : LogPart.OUTPUT;
    }

    public LogFollower follow(TaskId task, Caller reader, LogPart part, long from)
            throws RejectedException, StoreFailure {
        var _ = tasks.ofLog(task, reader);
        var sources = new LogFollower.LogSources(tasks.engine().loop(), tasks.queries(), logs);
        return new LogFollower(sources, task, part, from);
    }
}
