package dev.berth.server.api;

import dev.berth.core.lane.LaneRun.Origin;
import dev.berth.core.lane.Mode;
import dev.berth.server.http.JsonFields;
import dev.berth.server.http.Refused;
import dev.berth.server.lane.CommandFiles;
import dev.berth.server.lane.Lanes;
import dev.berth.server.lane.RunSettings;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * What is to be run.
 *
 * @param config its place among the home's files of its mode, if it is one of them
 * @param file as the run is to call it: relative to the home where it is inside
 */
record RunSource(OptionalInt config, String file, Origin origin, String text) {

    private static final int LONGEST_PATH = 4096;

    /** A config of the home. */
    static RunSource ofHome(Mode mode, int index, Lanes lanes) throws Refused {
        var found = lanes.files().find(mode, index);
        if (found.isEmpty()) {
            throw CommandRoutes.missing(mode, index);
        }
        var config = found.get();
        try {
            var text = config.text();
            if (text.isEmpty()) {
                throw CommandRoutes.tooLarge();
            }
            return new RunSource(
                    OptionalInt.of(index),
                    shown(config.path(), lanes.runs()),
                    Origin.CONSOLE,
                    text.get());
        } catch (IOException e) {
            throw LaneTrouble.refused("Reading " + config.file(), e);
        }
    }

    /** What the command line has read. */
    static RunSource sent(Mode mode, JsonFields fields, Lanes lanes) throws Refused {
        var text = fields.requiredText("content");
        if (text.getBytes(StandardCharsets.UTF_8).length > CommandFiles.LARGEST_BYTES) {
            throw CommandRoutes.tooLarge();
        }
        var path = path(fields.requiredText("command_file"));
        try {
            return new RunSource(
                    config(mode, path, lanes.files()),
                    shown(path, lanes.runs()),
                    Origin.TERMINAL,
                    text);
        } catch (IOException e) {
            throw LaneTrouble.refused("Reading the command files", e);
        }
    }

    private static Path path(String text) throws Refused {
        try {
            var path = Path.of(text);
            if (path.isAbsolute() && text.length() <= LONGEST_PATH) {
                return path.normalize();
            }
        } catch (InvalidPathException _) {
            // Told below.
        }
        throw Refused.invalid(
                "command_file.invalid", "command_file", "command_file is an absolute path.");
    }

    private static OptionalInt config(Mode mode, Path path, CommandFiles files) throws IOException {
        var real = real(path);
        return files.list(mode).stream()
                .filter(config -> real(config.path()).equals(real))
                .mapToInt(CommandFiles.Config::index)
                .findFirst();
    }

    /** By one name, by whichever link it was reached. */
    private static String shown(Path path, RunSettings settings) {
        var real = real(path);
        var home = real(settings.home());
        return real.startsWith(home) ? home.relativize(real).toString() : real.toString();
    }

    /** What was read from a pipe, say, is called by what it was given as. */
    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException _) {
            return path;
        }
    }
}
