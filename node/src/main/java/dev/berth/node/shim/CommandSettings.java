package dev.berth.node.shim;

import dev.berth.files.PathPermissions;
import dev.berth.files.UserPaths;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Settings that apply to every command.
 *
 * @param extraPath directories in front of its PATH
 * @param initScript sourced before its first line, for example to initialise conda
 * @param shim which program starts it
 */
public record CommandSettings(List<Path> extraPath, Optional<Path> initScript, ShimChoice shim) {

    public static final CommandSettings NONE = new CommandSettings(List.of(), Optional.empty());

    /** With the fastest shim that works. */
    public CommandSettings(List<Path> extraPath, Optional<Path> initScript) {
        this(extraPath, initScript, ShimChoice.AUTO);
    }

    public CommandSettings {
        extraPath = List.copyOf(extraPath);
    }

    /** The reason why no command can be started with these settings. */
    public Optional<String> problem(UserPaths paths) {
        if (initScript.isEmpty()) {
            return Optional.empty();
        }
        var script = initScript.get();
        try {
            return paths.access(script, () -> problem(script));
        } catch (IOException e) {
            return Optional.of(nameOf(script) + " cannot be examined: " + e.getMessage());
        }
    }

    private static Optional<String> problem(Path script) throws IOException {
        if (!Files.isReadable(script) || Files.isDirectory(script)) {
            return Optional.of(nameOf(script) + " cannot be read; correct it in the configuration");
        }
        return PathPermissions.ofThisProcess()
                .weaknessOf(script)
                .map(
                        weakness ->
                                nameOf(script)
                                        + " cannot be used: "
                                        + weakness.describe()
                                        + ", so another user could change it");
    }

    private static String nameOf(Path script) {
        return "conda_init_script " + script;
    }

    String joinedPath() {
        return extraPath.stream().map(Path::toString).collect(Collectors.joining(":"));
    }
}
