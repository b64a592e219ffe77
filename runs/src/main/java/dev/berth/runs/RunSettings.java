package dev.berth.runs;

import dev.berth.core.access.CommandPolicy;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Directories, print interval and allowed commands of runs.
 *
 * @param workDir where their commands run
 * @param isWorkDirSet false if {@code workDir} is a default: a file outside the home then runs in
 *     the caller's directory
 * @param logDir where their logs are written
 * @param checkTime minimum time between two printed statuses of a run
 * @param commands which commands may run
 */
public record RunSettings(
        Path home,
        Supplier<Path> workDir,
        BooleanSupplier isWorkDirSet,
        Supplier<Path> logDir,
        Supplier<Duration> checkTime,
        Supplier<CommandPolicy> commands) {

    private static final Duration USUAL_CHECK = Duration.ofSeconds(5);

    public RunSettings {
        home = home.toAbsolutePath().normalize();
    }

    /** With defaults only: commands run in the parent directory of the home. */
    public static RunSettings at(Path home) {
        var root = home.toAbsolutePath().normalize();
        var beside = Optional.ofNullable(root.getParent()).orElse(root);
        return new RunSettings(
                root,
                () -> beside,
                () -> false,
                () -> root.resolve("logs"),
                () -> USUAL_CHECK,
                () -> CommandPolicy.OPEN);
    }

    /** The log of a run, which depends on its mode and on where it was started. */
    public Path logFile(FileRun run) {
        var name =
                switch (run.origin()) {
                    case CONSOLE -> "scheduler_" + run.mode().apiName() + "_" + run.id() + ".log";
                    case TERMINAL ->
                            run.mode() == FileMode.SINGLE ? "compete_gpu.log" : "compete_gpus.log";
                };
        return logDir.get().resolve(name);
    }

    /** Relative to the home for a path inside it, so that it stays valid when the home is moved. */
    public String displayPath(Path path) {
        var whole = path.toAbsolutePath().normalize();
        return whole.startsWith(home) && !whole.equals(home)
                ? home.relativize(whole).toString()
                : whole.toString();
    }
}
