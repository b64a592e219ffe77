package dev.berth.app.recover;

import dev.berth.config.Configuration;

import java.nio.file.Path;

/**
 * The files of a home that together hold its state.
 *
 * @param tasks contains the task directories
 */
public record HomeFiles(Path root, Path runtime, Path tasks, Path database, Path generation) {

    public static HomeFiles of(Path root, Configuration config) {
        var runtime = config.storage().runtime();
        return new HomeFiles(
                root,
                runtime,
                config.tasksDirectory(),
                config.storage().database(),
                root.resolve("generation"));
    }
}
