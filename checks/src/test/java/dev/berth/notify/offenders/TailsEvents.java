package dev.berth.notify.offenders;

import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

import java.util.List;

/** Follows events without a feed. */
public final class TailsEvents {
    List<Event> next(TaskQueries queries) throws StoreFailure {
        return queries.eventsAfter(1, 2);
    }
}
