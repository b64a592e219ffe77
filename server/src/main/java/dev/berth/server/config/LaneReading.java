package dev.berth.server.config;

import dev.berth.server.config.Configuration.Lanes;
import dev.berth.server.config.Configuration.Storage;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Puts together what is set about lanes and about where things lie. Every path is relative to the
 * home, so a home can be moved whole.
 */
record LaneReading(Values values, Path home) {

    /**
     * @param home a relative one would change its meaning with the directory of the process
     */
    LaneReading(Values values, Path home) {
        this.values = values;
        this.home = home.toAbsolutePath().normalize();
    }

    Lanes lanes() throws ConfigRefused {
        var most = values.find(LaneKeys.MOST_RETRIES);
        return new Lanes(
                seconds(LaneKeys.CHECK_TIME),
                values.get(LaneKeys.USE_ALL),
                values.get(LaneKeys.COMPETE),
                values.get(LaneKeys.LEFT).intValue(),
                values.get(LaneKeys.EXTREME),
                values.get(LaneKeys.RETRIES_AT_ONCE).intValue(),
                seconds(LaneKeys.REST),
                most.isPresent() ? OptionalInt.of(most.get().intValue()) : OptionalInt.empty(),
                seconds(LaneKeys.ASSIGN_DELAY),
                seconds(LaneKeys.CONFIRM),
                workDir(),
                path(LaneKeys.PROCESS_JSON),
                path(LaneKeys.COMMANDS),
                path(LaneKeys.LOG_DIR),
                logRoots());
    }

    Storage storage() throws ConfigRefused {
        var runtime = path(LaneKeys.RUNTIME_DIR);
        return new Storage(
                runtime,
                values.find(LaneKeys.DB_PATH).isPresent()
                        ? path(LaneKeys.DB_PATH)
                        : runtime.resolve("tasks.db"),
                values.get(Keys.HISTORY));
    }

    private Duration seconds(Key<Long> key) {
        return Duration.ofSeconds(values.get(key));
    }

    private Path workDir() throws ConfigRefused {
        if (values.find(LaneKeys.WORK_DIR).isPresent()) {
            return path(LaneKeys.WORK_DIR);
        }
        var above = home.getParent();
        return above == null ? home : above;
    }

    private List<Path> logRoots() throws ConfigRefused {
        var roots = new ArrayList<Path>();
        for (var text : values.get(LaneKeys.LOG_ROOTS)) {
            roots.add(path(LaneKeys.LOG_ROOTS, text));
        }
        return roots;
    }

    private Path path(Key<String> key) throws ConfigRefused {
        return path(key, values.get(key));
    }

    private Path path(Key<?> key, String text) throws ConfigRefused {
        try {
            return home.resolve(text).normalize();
        } catch (InvalidPathException e) {
            throw new ConfigRefused(
                    values.source(key)
                            + ": "
                            + key.name()
                            + " cannot be a path here ("
                            + e.getReason()
                            + ")");
        }
    }
}
