package dev.berth.server.api.log;

import dev.berth.core.Rejected;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Task;
import dev.berth.http.Param;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteRequest;
import dev.berth.port.StoreFailure;
import dev.berth.server.api.TaskLookup;

import java.util.Optional;

/** Which log a request names. */
record LogRequests(TaskLookup lookup) {

    static final Param<Long> ATTEMPT =
            Param.number("attempt", "the attempt; the latest if unset", 1, Integer.MAX_VALUE);

    /** Empty if no attempt was named and the task has none yet. */
    Optional<AttemptId> attempt(RouteRequest call) throws RejectedException, StoreFailure {
        return attempt(call, task(call));
    }

    Task task(RouteRequest call) throws RejectedException, StoreFailure {
        return lookup.ofLog(TaskLookup.id(call), call.caller());
    }

    /** Attempts are numbered from 1, so their count is the number of the latest. */
    static Optional<AttemptId> attempt(RouteRequest call, Task task) throws RejectedException {
        var number = call.query(ATTEMPT);
        if (number.isPresent() && number.get() > task.attempts()) {
            throw new RejectedException(
                    Rejected.notFound("attempt.unknown")
                            .with("task", task.id())
                            .with("attempt", number.get()));
        }
        int wanted = number.map(Long::intValue).orElse(task.attempts());
        return wanted == 0 ? Optional.empty() : Optional.of(new AttemptId(task.id(), wanted));
    }
}
