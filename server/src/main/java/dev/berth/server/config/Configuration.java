package dev.berth.server.config;

import dev.berth.wire.ConfigEntry;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Everything that is set, checked whole.
 *
 * @param entries each key with its value and where that came from
 * @param warnings what was read but has no effect
 */
public record Configuration(
        Listening door,
        Cards cards,
        Scheduling scheduling,
        Running running,
        List<ConfigEntry> entries,
        List<String> warnings) {

    /** Who can reach the server, and how. */
    public record Listening(
            String host,
            int port,
            boolean takesNextPort,
            boolean knowsNobody,
            Optional<String> publicUrl,
            List<String> corsOrigins,
            boolean isBehindProxy,
            int queuedPerUser) {}

    /** Which cards there are, and when one may be taken. */
    public record Cards(
            String probe,
            Optional<Path> nvidiaSmi,
            Optional<Path> nvml,
            int thresholdPercent,
            boolean yieldsToOthers,
            Optional<SortedSet<Integer>> pool,
            SortedSet<Integer> reserved) {}

    /**
     * Which task goes first, where it goes, and how long it may take. Policies are the words that
     * were checked.
     *
     * @param weights by user; 1 for those who are not here
     * @param vips who goes before the others of the same priority
     */
    public record Scheduling(
            String order,
            String passing,
            String selector,
            SortedMap<String, Double> weights,
            SortedSet<String> vips,
            Duration longWait,
            OptionalInt cpuTasks,
            Duration poll,
            Models models,
            int modelTaskSeconds,
            int mostSeconds) {}

    /** What is known of models. */
    public record Models(
            SortedMap<String, Long> memoryMib, long marginMib, int perCard, Duration life) {}

    /** How tasks are started and ended. */
    public record Running(
            Window window,
            Optional<Path> tmux,
            Optional<Path> condaInitScript,
            List<Path> extraPath,
            Duration stopGrace,
            long logCapMib) {}

    /** Whether a tmux window follows each task. */
    public enum Window {
        WHERE_IT_CAN,
        ALWAYS,
        NEVER
    }

    /**
     * @throws ConfigRefused that names file, line and key
     */
    public static Configuration load(Layers layers) throws ConfigRefused {
        var values = Values.of(layers);
        if (Files.exists(layers.home().resolve(Layers.LANES_FILE))) {
            values.presume(Keys.FOREIGN, "fit", "because this home has " + Layers.LANES_FILE);
        }
        return new Configuration(
                listening(values),
                cards(values, layers.home()),
                SchedulingReading.of(values),
                running(values, layers.home()),
                Stream.concat(Keys.ALL.stream(), values.ofFamilies().stream())
                        .<ConfigEntry>map(key -> entry(key, values))
                        .toList(),
                values.warnings());
    }

    private static Listening listening(Values values) {
        return new Listening(
                values.get(Keys.HOST),
                values.get(Keys.PORT).intValue(),
                values.get(Keys.AUTO_PORT),
                values.get(Keys.AUTH).equals("none"),
                values.find(Keys.PUBLIC_URL),
                values.get(Keys.CORS_ORIGINS),
                values.get(Keys.BEHIND_PROXY),
                values.get(Keys.QUEUED_PER_USER).intValue());
    }

    private static Cards cards(Values values, Path home) {
        return new Cards(
                values.get(Keys.GPU_PROBE),
                values.find(Keys.NVIDIA_SMI).map(home::resolve),
                values.find(Keys.NVML).map(home::resolve),
                values.get(Keys.THRESHOLD).intValue(),
                values.get(Keys.FOREIGN).equals("yield"),
                values.find(Keys.GPU_IDS).map(TreeSet::new),
                new TreeSet<>(values.get(Keys.RESERVED)));
    }

    private static Running running(Values values, Path home) {
        return new Running(
                switch (values.get(Keys.RUNNER)) {
                    case "tmux" -> Window.ALWAYS;
                    case "detached" -> Window.NEVER;
                    default -> Window.WHERE_IT_CAN;
                },
                values.find(Keys.TMUX).map(home::resolve),
                values.find(Keys.CONDA).map(home::resolve),
                values.get(Keys.EXTRA_PATH).stream().map(home::resolve).toList(),
                Duration.ofSeconds(values.get(Keys.STOP_GRACE)),
                values.get(Keys.LOG_CAP));
    }

    private static <T> ConfigEntry entry(Key<T> key, Values values) {
        return new ConfigEntry(
                key.name(),
                values.find(key).orElse(null),
                key.usual().orElse(null),
                values.source(key),
                key.isInForce(),
                key.about());
    }
}
