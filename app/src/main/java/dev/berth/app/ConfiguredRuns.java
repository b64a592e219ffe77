package dev.berth.app;

import dev.berth.config.Configuration;
import dev.berth.files.UserPaths;
import dev.berth.runs.CommandFiles;
import dev.berth.runs.FileRuns;
import dev.berth.runs.LogAccess;
import dev.berth.runs.LogBindings;
import dev.berth.runs.RunResources;
import dev.berth.runs.RunSettings;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Builds what runs of command files use, from the configuration. */
final class ConfiguredRuns {

    private ConfiguredRuns() {}

    /** Reads the rules on each use, because they can change while the server runs. */
    static RunResources of(
            Path home, Supplier<Configuration> configuration, FileRuns runs, UserPaths userPaths) {
        Supplier<Configuration.LaneSettings> lanes = () -> configuration.get().lanes();
        return new RunResources(
                new CommandFiles(home, () -> lanes.get().files().commandsPath(), userPaths),
                new LogBindings(home),
                new LogAccess(
                        home,
                        () -> lanes.get().files().logRoots(),
                        () -> List.of(lanes.get().rules().workDir().path()),
                        userPaths),
                runs,
                new RunSettings(
                        home,
                        () -> lanes.get().rules().workDir().path(),
                        () -> lanes.get().rules().workDir().isSet(),
                        () -> lanes.get().files().logDir(),
                        () -> lanes.get().rules().checkTime(),
                        () -> configuration.get().commands()),
                userPaths);
    }
}
