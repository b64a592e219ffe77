package dev.berth.runs;

import dev.berth.files.UserPaths;

import java.nio.file.Path;
import java.util.List;

/** What the API needs of command files and runs. */
public record RunResources(
        CommandFiles files,
        LogBindings bindings,
        LogAccess logAccess,
        ActiveCommandFiles activeFiles,
        RunSettings settings,
        UserPaths paths) {

    /** With defaults only. */
    public static RunResources at(Path home) {
        var paths = UserPaths.withOwnThreads();
        return new RunResources(
                new CommandFiles(home, () -> home.resolve("command.txt"), paths),
                new LogBindings(home),
                new LogAccess(home, List::of, List::of, paths),
                ActiveCommandFiles.NONE,
                RunSettings.at(home),
                paths);
    }
}
