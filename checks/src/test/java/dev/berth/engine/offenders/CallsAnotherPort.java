package dev.berth.engine.offenders;

import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;

/** Reads the store while it decides. */
public record CallsAnotherPort(TaskQueries queries) {
    long count() throws StoreFailure {
        return queries.count(TaskQueries.Filter.ALL);
    }
}
