package dev.berth.server.api.run;

import dev.berth.core.commandfile.FileRun;
import dev.berth.runs.LogBindings;
import dev.berth.server.api.command.UserCommandFiles;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** The log files that are bound to the tasks of a run's command file. */
record BoundLogs(Map<Place, String> paths) {

    private static final Logger log = LoggerFactory.getLogger(BoundLogs.class);

    private record Place(int queue, int task) {}

    /** Empty if the run's file is not one of the home's command files. */
    static BoundLogs of(FileRun run, LogBindings bindings) {
        var paths = new HashMap<Place, String>();
        // The files of users have no bindings; their runs are named by their own directory.
        if (run.configIndex().isEmpty() || run.file().startsWith(UserCommandFiles.PREFIX)) {
            return new BoundLogs(paths);
        }
        try {
            for (var one : bindings.all()) {
                if (one.mode().equals(run.mode().apiName())
                        && one.configIndex() == run.configIndex().getAsInt()) {
                    paths.put(new Place(one.queueId(), one.taskIndex()), one.logPath());
                }
            }
        } catch (IOException e) {
            // The run is still shown, without its bound logs.
            log.warn("log bindings cannot be read: {}", e.toString());
        }
        return new BoundLogs(paths);
    }

    @Nullable String of(int queue, int task) {
        return paths.get(new Place(queue, task));
    }
}
