package dev.berth.server.api.run;

import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun.Origin;
import dev.berth.http.JsonFields;
import dev.berth.http.RejectedException;
import dev.berth.runs.CommandFiles;
import dev.berth.runs.RunResources;
import dev.berth.server.api.FileFailure;
import dev.berth.server.api.command.CommandFileRoutes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * The command file to run.
 *
 * @param config its index among the home's files of its mode, if it is one of them
 * @param file the name of the run: relative to the home if the file is inside
 */
record FileRunSource(OptionalInt config, String file, Origin origin, String text) {

    private static final int MAX_PATH_LENGTH = 4096;

    /** A command file of the home. */
    static FileRunSource ofHome(FileMode mode, int index, Origin origin, RunResources lanes)
            throws RejectedException {
        try {
            var found = lanes.files().find(mode, index);
            if (found.isEmpty()) {
                throw CommandFileRoutes.missing(mode, index);
            }
            var text = lanes.files().text(found.get());
            if (text.isEmpty()) {
                throw CommandFileRoutes.tooLarge();
            }
            return new FileRunSource(
                    OptionalInt.of(index),
                    shown(real(found.get().path(), lanes), lanes),
                    origin,
                    text.get());
        } catch (IOException e) {
            throw FileFailure.rejection(CommandFiles.fileNameOf(mode, index), e);
        }
    }

    /** A file that the command line has read and sent. */
    static FileRunSource sent(FileMode mode, JsonFields fields, RunResources lanes)
            throws RejectedException {
        var text = fields.requiredText("content");
        if (text.getBytes(StandardCharsets.UTF_8).length > CommandFiles.MAX_BYTES) {
            throw CommandFileRoutes.tooLarge();
        }
        var path = path(fields.requiredText("command_file"));
        try {
            var real = real(path, lanes);
            return new FileRunSource(
                    config(mode, real, lanes), shown(real, lanes), Origin.TERMINAL, text);
        } catch (IOException e) {
            throw FileFailure.rejection("command/", e);
        }
    }

    private static Path path(String text) throws RejectedException {
        try {
            var path = Path.of(text);
            if (path.isAbsolute() && text.length() <= MAX_PATH_LENGTH) {
                return path.normalize();
            }
        } catch (InvalidPathException _) {
            // Rejected below.
        }
        throw RejectedException.invalid("command_file.invalid", "command_file");
    }

    private static OptionalInt config(FileMode mode, Path real, RunResources lanes)
            throws IOException {
        for (var config : lanes.files().list(mode)) {
            if (real(config.path(), lanes).equals(real)) {
                return OptionalInt.of(config.index());
            }
        }
        return OptionalInt.empty();
    }

    /** One name for a file, whichever link leads to it. */
    private static String shown(Path real, RunResources lanes) throws IOException {
        var home = real(lanes.settings().home(), lanes);
        return real.startsWith(home) ? home.relativize(real).toString() : real.toString();
    }

    private static Path real(Path path, RunResources lanes) throws IOException {
        return lanes.paths().access(path, () -> real(path));
    }

    /** A path that cannot be resolved, such as a pipe, keeps its given name. */
    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException _) {
            return path;
        }
    }
}
