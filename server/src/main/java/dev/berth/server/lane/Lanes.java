package dev.berth.server.lane;

import java.nio.file.Path;
import java.util.List;

/** What the routes of the lanes work with. */
public record Lanes(
        CommandFiles files,
        LogBindings bindings,
        LogPlaces places,
        RunningConfigs running,
        RunSettings runs) {

    /** With nothing configured and nothing run. */
    public static Lanes at(Path home) {
        return new Lanes(
                new CommandFiles(home, () -> home.resolve("command.txt")),
                new LogBindings(home),
                new LogPlaces(home, List::of, List::of),
                RunningConfigs.NONE,
                RunSettings.at(home));
    }
}
