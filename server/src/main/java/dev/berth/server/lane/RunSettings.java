package dev.berth.server.lane;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.Mode;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Where runs work and what they leave behind.
 *
 * @param workDir where their commands run
 * @param logDir where their logs go
 * @param checkTime a run's status is printed no more often
 */
public record RunSettings(
        Path home, Supplier<Path> workDir, Supplier<Path> logDir, Supplier<Duration> checkTime) {

    private static final Duration USUAL_CHECK = Duration.ofSeconds(5);

    public RunSettings {
        home = home.toAbsolutePath().normalize();
    }

    /** With nothing configured: commands run beside the home. */
    public static RunSettings at(Path home) {
        var root = home.toAbsolutePath().normalize();
        var beside = Optional.ofNullable(root.getParent()).orElse(root);
        return new RunSettings(root, () -> beside, () -> root.resolve("logs"), () -> USUAL_CHECK);
    }

    /** The files of both modes and entrances that a run's log may go to. */
    public Path log(LaneRun run) {
        var name =
                switch (run.origin()) {
                    case CONSOLE -> "scheduler_" + run.mode().word() + "_" + run.id() + ".log";
                    case TERMINAL ->
                            run.mode() == Mode.SINGLE ? "compete_gpu.log" : "compete_gpus.log";
                };
        return logDir.get().resolve(name);
    }

    /**
     * Relative to the home where it is inside, so that a home that is moved still says it right.
     */
    public String shown(Path path) {
        var whole = path.toAbsolutePath().normalize();
        return whole.startsWith(home) && !whole.equals(home)
                ? home.relativize(whole).toString()
                : whole.toString();
    }
}
