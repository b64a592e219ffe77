package dev.berth.runs;

import java.nio.file.Path;
import java.util.List;

/** What the API needs of command files and runs. */
public record RunResources(
        CommandFiles files,
        LogBindings bindings,
        LogAccess logAccess,
        ActiveCommandFiles activeFiles,
        RunSettings settings) {

    /** With defaults only. */
    public static RunResources at(Path home) {
        return new RunResources(
                new CommandFiles(home, () -> home.resolve("command.txt")),
                new LogBindings(home),
                new LogAccess(home, List::of, List::of),
                ActiveCommandFiles.NONE,
                RunSettings.at(home));
    }
}
