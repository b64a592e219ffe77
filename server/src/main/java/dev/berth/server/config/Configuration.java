package dev.berth.server.config;

import dev.berth.server.alert.Language;
import dev.berth.server.message.Mailbox;
import dev.berth.server.message.Receiver;
import dev.berth.wire.ConfigEntry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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
        Lanes lanes,
        Storage storage,
        Messages messages,
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
            int queuedPerUser,
            boolean hasOpenMetrics) {}

    /** Which cards there are, and when one may be taken. */
    public record Cards(
            String probe,
            Optional<Path> nvidiaSmi,
            Optional<Path> nvml,
            Care care,
            int thresholdPercent,
            boolean yieldsToOthers,
            Optional<SortedSet<Integer>> pool,
            SortedSet<Integer> reserved) {}

    /**
     * What is done about cards that fail.
     *
     * @param test a command in place of Berth's own test
     */
    public record Care(Duration recovery, Optional<String> test, Path kernelLog) {}

    /**
     * Which task goes first, where it goes, and how long it may take. Policies are the words that
     * were checked.
     *
     * @param laneSelector the selector if somebody chose one; lanes have a usual one of their own
     * @param weights by user; 1 for those who are not here
     * @param vips who goes before the others of the same priority
     */
    public record Scheduling(
            String order,
            String passing,
            String selector,
            Optional<String> laneSelector,
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
            long logCapMib,
            Duration stallAfter) {}

    /**
     * How command files are worked off, on cards that others use too. Paths are absolute.
     *
     * @param competeCards counts where not all cards are used, in the order in which it is written
     * @param left cards that stay free for others
     * @param isExtreme tasks share a card where memory fits
     * @param retriesAtOnce after so many retries a task rests
     * @param mostRetries no end if empty
     * @param assignDelay between two starts of one run
     */
    public record Lanes(
            Duration checkTime,
            boolean usesAllCards,
            List<Integer> competeCards,
            int left,
            boolean isExtreme,
            int retriesAtOnce,
            Duration rest,
            OptionalInt mostRetries,
            Duration assignDelay,
            Duration confirmWithin,
            Path workDir,
            Path processJson,
            Path commandsPath,
            Path logDir,
            List<Path> logRoots) {
        public Lanes {
            competeCards = List.copyOf(competeCards);
            logRoots = List.copyOf(logRoots);
        }
    }

    /** Where what is kept lies, as absolute paths. */
    public record Storage(Path runtime, Path database, boolean keepsHistory) {}

    /**
     * Who is told of what happens.
     *
     * @param mailbox from which mail is sent, where any is
     */
    public record Messages(Language language, Optional<Mailbox> mailbox, List<Receiver> receivers) {
        public Messages {
            receivers = List.copyOf(receivers);
        }
    }

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
        return of(Values.of(layers, Drafts.NONE), layers.home());
    }

    static Configuration of(Values values, Path home) throws ConfigRefused {
        if (values.files().contains(values.lanesFile())) {
            values.presume(
                    Keys.FOREIGN, "fit", "because this home has " + values.lanesFile().shown());
        }
        var lanes = new LaneReading(values, home);
        return new Configuration(
                listening(values),
                cards(values, home),
                SchedulingReading.of(values),
                running(values, home),
                lanes.lanes(),
                lanes.storage(),
                MessageReading.of(values, home),
                Stream.concat(Keys.ALL.stream(), values.ofFamilies().stream())
                        .<ConfigEntry>map(key -> entry(key, values))
                        .toList(),
                values.warnings());
    }

    /**
     * This one with the rules of another: so much a server takes up while it runs. All else waits
     * for its next start.
     */
    Configuration following(Configuration next) {
        return new Configuration(
                door,
                new Cards(
                        cards.probe(),
                        cards.nvidiaSmi(),
                        cards.nvml(),
                        cards.care(),
                        next.cards.thresholdPercent(),
                        next.cards.yieldsToOthers(),
                        cards.pool(),
                        cards.reserved()),
                scheduling,
                running,
                new Lanes(
                        next.lanes.checkTime(),
                        next.lanes.usesAllCards(),
                        next.lanes.competeCards(),
                        next.lanes.left(),
                        next.lanes.isExtreme(),
                        next.lanes.retriesAtOnce(),
                        next.lanes.rest(),
                        next.lanes.mostRetries(),
                        next.lanes.assignDelay(),
                        next.lanes.confirmWithin(),
                        next.lanes.workDir(),
                        lanes.processJson(),
                        lanes.commandsPath(),
                        lanes.logDir(),
                        lanes.logRoots()),
                storage,
                messages,
                entries.stream().map(entry -> followed(entry, next)).toList(),
                warnings);
    }

    /** What did not change may still have moved to another line. */
    private static ConfigEntry followed(ConfigEntry entry, Configuration next) {
        return next.entry(entry.key())
                .filter(
                        other ->
                                RuleKeys.isRule(entry.key())
                                        || Objects.equals(other.value(), entry.value()))
                .orElse(entry);
    }

    /** A key with its value. */
    public Optional<ConfigEntry> entry(String key) {
        return entries.stream().filter(entry -> entry.key().equals(key)).findFirst();
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
                values.get(Keys.QUEUED_PER_USER).intValue(),
                values.get(Keys.METRICS_OPEN));
    }

    private static Cards cards(Values values, Path home) {
        return new Cards(
                values.get(Keys.GPU_PROBE),
                values.find(Keys.NVIDIA_SMI).map(home::resolve),
                values.find(Keys.NVML).map(home::resolve),
                new Care(
                        Duration.ofSeconds(values.get(Keys.GPU_RECOVERY)),
                        values.find(Keys.GPU_TEST),
                        home.resolve(values.get(Keys.KERNEL_LOG))),
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
                values.get(Keys.LOG_CAP),
                Duration.ofMinutes(values.get(Keys.STALL_MINUTES)));
    }

    private static <T> ConfigEntry entry(Key<T> key, Values values) {
        return new ConfigEntry(
                key.name(),
                values.find(key).map(key.kind()::shown).orElse(null),
                key.usual().map(key.kind()::shown).orElse(null),
                values.source(key),
                key.isInForce(),
                key.about());
    }
}
