package dev.berth.server.api;

import dev.berth.core.lane.LaneRun;
import dev.berth.server.lane.LogBindings;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The logs that somebody bound to the tasks of a run's file. */
record BoundLogs(Map<Place, String> paths) {

    private static final Logger log = LoggerFactory.getLogger(BoundLogs.class);

    private record Place(int queue, int task) {}

    /** None where the run's file is none of the home's. */
    static BoundLogs of(LaneRun run, LogBindings bindings) {
        var paths = new HashMap<Place, String>();
        if (run.config().isEmpty()) {
            return new BoundLogs(paths);
        }
        try {
            for (var one : bindings.all()) {
                if (one.mode().equals(run.mode().word())
                        && one.configIndex() == run.config().getAsInt()) {
                    paths.put(new Place(one.queueId(), one.taskIndex()), one.logPath());
                }
            }
        } catch (IOException e) {
            // A run is shown all the same.
            log.warn("log bindings cannot be read: {}", e.toString());
        }
        return new BoundLogs(paths);
    }

    @Nullable String of(int queue, int task) {
        return paths.get(new Place(queue, task));
    }
}
