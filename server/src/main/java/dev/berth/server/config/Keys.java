package dev.berth.server.config;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Everything that can be set, in the order in which it is shown. */
final class Keys {

    private static final long DAY = 86_400;
    private static final long YEAR = 366 * DAY;

    // The door.
    static final Key<String> HOST =
            Key.of("host", Kind.text(), "127.0.0.1", "the address the server listens on");
    static final Key<Long> PORT =
            Key.of("port", Kind.whole(0, 65_535), 29_214L, "its port; 0 takes any that is free");
    static final Key<Boolean> AUTO_PORT =
            Key.of("auto_port", Kind.flag(), false, "take the next free port where it is taken");
    static final Key<String> AUTH =
            Key.of(
                    "auth",
                    Kind.word("token", "none"),
                    "token",
                    "how callers on the port show who they are; none serves only programs of the"
                            + " server's user on this machine");
    static final Key<String> PUBLIC_URL =
            Key.unset("public_url", Kind.text(), "the address people see, behind a proxy");
    static final Key<List<String>> CORS_ORIGINS =
            Key.of("cors_origins", Kind.texts(), List.of(), "other origins that may call the API");
    static final Key<Boolean> BEHIND_PROXY =
            Key.of(
                    "behind_proxy",
                    Kind.flag(),
                    false,
                    "a proxy with TLS stands before the server, so it may listen beyond this"
                            + " machine");
    static final Key<Long> QUEUED_PER_USER =
            Key.of(
                    "max_queued_per_user",
                    Kind.whole(1, 10_000_000),
                    200_000L,
                    "tasks that one user may have waiting");
    static final Key<Boolean> METRICS_OPEN =
            Key.of("metrics_open", Kind.flag(), false, "serve /metrics to callers without a token");

    // Cards.
    static final Key<String> GPU_PROBE =
            Key.of(
                    "gpu_probe",
                    Kind.word("auto", "nvml", "nvidia-smi", "sim", "none"),
                    "auto",
                    "how cards are read");
    static final Key<String> NVIDIA_SMI =
            Key.unset("nvidia_smi_path", Kind.text(), "the program; naming it chooses that probe");
    static final Key<String> NVML =
            Key.unset("nvml_path", Kind.text(), "the driver's library, where it is not found");
    static final Key<Long> GPU_RECOVERY =
            Key.of(
                    "gpu_recovery_seconds",
                    Kind.whole(1, 3600),
                    30L,
                    "how long a card that was taken out has to answer well again before it stays"
                            + " out");
    static final Key<String> GPU_TEST =
            Key.unset(
                    "gpu_test_command",
                    Kind.text(),
                    "a command that tries a card before it is handed back, in place of Berth's own"
                            + " test");
    static final Key<String> KERNEL_LOG =
            Key.of(
                    "kernel_log_path",
                    Kind.text(),
                    "/dev/kmsg",
                    "where the driver's errors (Xid) are read from");
    static final Key<Long> THRESHOLD =
            Key.of(
                    "memory_threshold_percent",
                    Kind.whole(1, 100),
                    20L,
                    "memory use from which a card is busy for tasks that name no memory");
    static final Key<String> FOREIGN =
            Key.of(
                    "foreign",
                    Kind.word("yield", "fit"),
                    "yield",
                    "yield starts nothing on a card where another user computes; fit asks only"
                            + " whether memory fits");
    static final Key<List<Integer>> GPU_IDS =
            Key.unset("scheduler.gpu_ids", Kind.indices(), "the cards Berth may use; all if unset");
    static final Key<List<Integer>> RESERVED =
            Key.of(
                    "scheduler.reserved_gpu_ids",
                    Kind.indices(),
                    List.of(),
                    "cards that are never given to a task");

    // Running tasks.
    static final Key<String> RUNNER =
            Key.of(
                    "runner",
                    Kind.word("auto", "tmux", "detached"),
                    "auto",
                    "whether a tmux window follows each task: where it can, always, never");
    static final Key<String> TMUX = Key.unset("tmux_path", Kind.text(), "the program tmux");
    static final Key<String> CONDA =
            Key.unset("conda_init_script", Kind.text(), "a script sourced before every command");
    static final Key<List<String>> EXTRA_PATH =
            Key.of("extra_path", Kind.texts(), List.of(), "directories before the tasks' PATH");
    static final Key<Long> STOP_GRACE =
            Key.of(
                    "stop_grace_seconds",
                    Kind.whole(0, DAY),
                    10L,
                    "between asking a task's processes to end and killing them");
    static final Key<Long> LOG_CAP =
            Key.of(
                    "log_cap_mib",
                    Kind.whole(4, 1 << 20),
                    1024L,
                    "disk space that one attempt's log may take");
    static final Key<Long> STALL_MINUTES =
            Key.of(
                    "stall_minutes",
                    Kind.whole(0, YEAR / 60),
                    10L,
                    "a task whose progress stands still for so long is told of; 0 for never");

    static final Key<Boolean> HISTORY =
            Key.of(
                    "history",
                    Kind.flag(),
                    true,
                    "keep what cards and tasks did, by the second, minute and hour");

    static final List<Key<?>> ALL =
            Stream.of(
                            Stream.<Key<?>>of(
                                    HOST,
                                    PORT,
                                    AUTO_PORT,
                                    AUTH,
                                    PUBLIC_URL,
                                    CORS_ORIGINS,
                                    BEHIND_PROXY,
                                    QUEUED_PER_USER,
                                    METRICS_OPEN,
                                    GPU_PROBE,
                                    NVIDIA_SMI,
                                    NVML,
                                    GPU_RECOVERY,
                                    GPU_TEST,
                                    KERNEL_LOG,
                                    THRESHOLD,
                                    FOREIGN,
                                    GPU_IDS,
                                    RESERVED),
                            SchedulingKeys.ALL.stream(),
                            Stream.<Key<?>>of(
                                    RUNNER,
                                    TMUX,
                                    CONDA,
                                    EXTRA_PATH,
                                    STOP_GRACE,
                                    LOG_CAP,
                                    STALL_MINUTES,
                                    HISTORY),
                            LaneKeys.ALL.stream(),
                            MessageKeys.ALL.stream(),
                            later())
                    .flatMap(Function.identity())
                    .toList();

    /** Groups whose names are people's own. */
    static final Set<String> OPEN_GROUPS = Set.of("models", "container");

    private Keys() {}

    /** What earlier systems' files hold and Berth does not act on yet. */
    private static Stream<Key<?>> later() {
        return Stream.<Key<?>>of(
                        whole("scheduler.worker_heartbeat_interval_seconds", 10, "a sign"),
                        whole("scheduler.worker_heartbeat_timeout_seconds", 30, "no sign"))
                .map(Key::later);
    }

    private static Key<Long> whole(String name, long usual, String about) {
        return Key.of(name, Kind.whole(1, YEAR), usual, about);
    }

    /** By its whole name, by its own name alone, or from within {@code scheduler:}. */
    static Optional<Key<?>> named(String name) {
        var bare = bare(name);
        var found =
                ALL.stream()
                        .filter(
                                key ->
                                        key.name().equals(name)
                                                || key.name().equals(bare)
                                                || key.name().equals("scheduler." + bare))
                        .findFirst();
        return found.isPresent() ? found : ofFamily(bare).or(() -> MessageKeys.inRow(name));
    }

    private static Optional<Key<?>> ofFamily(String name) {
        for (var family : SchedulingKeys.FAMILIES) {
            var member = family.member(name);
            if (member.isPresent()) {
                return Optional.of(family.of(member.get()));
            }
        }
        return Optional.empty();
    }

    /** Whether other keys stand below this name. */
    static boolean isGroup(String name) {
        var bare = bare(name);
        return ALL.stream().anyMatch(key -> key.name().startsWith(name + "."))
                || SchedulingKeys.FAMILIES.stream().anyMatch(family -> family.isGroup(bare));
    }

    /** Whether it may be somebody's name with keys below it. */
    static boolean isMember(String name) {
        return SchedulingKeys.FAMILIES.stream().anyMatch(family -> family.isWithin(bare(name)));
    }

    private static String bare(String name) {
        return name.startsWith("scheduler.") ? name.substring("scheduler.".length()) : name;
    }
}
