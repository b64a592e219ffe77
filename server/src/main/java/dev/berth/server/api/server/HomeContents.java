package dev.berth.server.api.server;

import dev.berth.port.StoreFailure;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.EndedTasks.Selection;
import dev.berth.port.read.TaskQueries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much the home holds. */
public record HomeContents(TaskQueries queries, EndedTasks endedTasks, Path database) {

    long tasks() throws StoreFailure {
        return queries.count(TaskQueries.Filter.ALL);
    }

    /** Those that could be removed. */
    long ended() throws StoreFailure {
        return endedTasks.count(Selection.ALL);
    }

    long databaseBytes() {
        try {
            return Files.size(database);
        } catch (IOException unreadable) {
            return 0;
        }
    }
}
