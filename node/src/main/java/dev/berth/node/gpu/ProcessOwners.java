package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.gpu.NodeAttempts.NodeAttempt;
import dev.berth.node.linux.SmallFile;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessStat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the owners of the processes on the GPUs. A result is cached by pid and start tick while the
 * driver lists the pid: the driver may list it for a while after the process has ended, and then
 * the owner can no longer be determined. Used by one thread at a time.
 */
final class ProcessOwners {

    private static final int MAX_ANCESTORS = 64;
    private static final int COMMAND_BYTES = 512;
    private static final int MAX_PROGRAM_CHARS = 100;
    private static final long MILLIS_PER_TICK = 10;

    /** The time of the boot is known in whole seconds. */
    private static final Duration TICK_ROUNDING = Duration.ofSeconds(1);

    private final String home;
    private final NodeAttempts attempts;
    private final Optional<OwnerCheck> ownerCheck;
    private final UserNames users;
    private final Instant boot;
    private final TimeLimitedReads<Known> lookups = new TimeLimitedReads<>();
    private Map<Long, Known> cache = new HashMap<>();

    private record Known(long startTick, ProcessOwner owner, String program, Instant since) {}

    /**
     * @param home the home of the attempts that count as ours
     * @param ownerCheck empty if all tasks run as the user of this process
     */
    ProcessOwners(String home, NodeAttempts attempts, Optional<OwnerCheck> ownerCheck)
            throws IOException {
        this.home = home;
        this.attempts = attempts;
        this.ownerCheck = ownerCheck;
        this.users = new UserNames(ownerCheck.isEmpty());
        this.boot = Proc.bootTime();
    }

    /** The rows with the owners of their processes. */
    List<ProbedGpu> withOwners(List<ProbedGpu> rows) {
        var listed = new HashMap<Long, Known>();
        var named = new ArrayList<ProbedGpu>(rows.size());
        for (var row : rows) {
            var processes =
                    row.reading()
                            .processes()
                            .map(
                                    all ->
                                            all.stream()
                                                    .map(
                                                            process ->
                                                                    withOwner(
                                                                            process,
                                                                            row.uuid(),
                                                                            listed))
                                                    .toList());
            named.add(row.with(processes));
        }
        cache = listed;
        return named;
    }

    private GpuProcess withOwner(GpuProcess process, String uuid, Map<Long, Known> listed) {
        if (!(process.owner() instanceof ProcessOwner.Unknown)) {
            return process;
        }
        var found = find(process).map(known -> escapedOf(known, process.pid(), uuid).orElse(known));
        found.ifPresent(cached -> listed.put(process.pid(), cached));
        return new GpuProcess(
                process.pid(),
                process.usedMib(),
                process.kind(),
                found.map(Known::program).orElse(fileName(process.program())),
                found.map(Known::owner).orElse(process.owner()),
                found.map(Known::since));
    }

    /**
     * A process that a task started and that removed every trace of it. It has the user of an
     * attempt on this GPU and started later, so the GPU counts as the attempt's while it is there.
     */
    private Optional<Known> escapedOf(Known known, long pid, String uuid) {
        if (ownerCheck.isEmpty() || known.owner() instanceof ProcessOwner.BerthAttempt) {
            return Optional.empty();
        }
        return attempts.on(uuid).stream()
                .filter(attempt -> !attempt.since().isAfter(known.since().plus(TICK_ROUNDING)))
                .filter(attempt -> ownerCheck.get().mayBelong(pid, attempt.attempt()))
                .findFirst()
                .map(
                        attempt ->
                                new Known(
                                        known.startTick(),
                                        new ProcessOwner.BerthAttempt(attempt.attempt()),
                                        known.program(),
                                        known.since()));
    }

    private Optional<Known> find(GpuProcess process) {
        var before = Optional.ofNullable(cache.get(process.pid()));
        try {
            var stat = Proc.statIfVisible(process.pid()).filter(ProcessStat::isAlive);
            if (stat.isEmpty()) {
                return before;
            }
            long tick = stat.get().startTick();
            var same = before.filter(cached -> cached.startTick() == tick && isFinal(cached));
            return same.isPresent()
                    ? same
                    : lookups.read(process.pid(), () -> lookUp(process, stat.get()))
                            .or(() -> before);
        } catch (IOException unreadable) {
            return before;
        }
    }

    /**
     * A process of a user may still turn out to belong to an attempt, once that attempt is known.
     */
    private static boolean isFinal(Known known) {
        return known.owner() instanceof ProcessOwner.BerthAttempt;
    }

    private Known lookUp(GpuProcess process, ProcessStat stat) throws IOException {
        ProcessOwner owner =
                attempt(stat)
                        .<ProcessOwner>map(ProcessOwner.BerthAttempt::new)
                        .orElseGet(() -> users.owner(stat.pid()));
        return new Known(
                stat.startTick(),
                owner,
                program(process, stat),
                boot.plusMillis(stat.startTick() * MILLIS_PER_TICK));
    }

    /**
     * By its marker. If its environment is not readable or was cleared, by its session or its
     * ancestors.
     */
    private Optional<AttemptId> attempt(ProcessStat stat) throws IOException {
        var marked =
                Proc.variable(stat.pid(), Marker.VARIABLE)
                        .value()
                        .flatMap(Marker::parse)
                        .filter(marker -> marker.homeId().equals(home))
                        .flatMap(marker -> attemptId(marker.attempt()))
                        .filter(
                                attempt ->
                                        ownerCheck.isEmpty()
                                                || ownerCheck.get().mayBelong(stat.pid(), attempt));
        if (marked.isPresent()) {
            return marked;
        }
        var at = Optional.of(stat);
        for (int step = 0; at.isPresent() && step < MAX_ANCESTORS; step++) {
            var found = attemptOfShim(at.get());
            if (found.isPresent()) {
                return found;
            }
            at = Proc.statIfVisible(at.get().parent());
        }
        return Optional.empty();
    }

    private Optional<AttemptId> attemptOfShim(ProcessStat stat) {
        for (var attempt : attempts.list()) {
            var shim = attempt.shim();
            if (shim.isPresent()
                    && (shim.get().pid() == stat.pid() || shim.get().pid() == stat.session())
                    && shim.get().startTick() <= stat.startTick()) {
                return Optional.of(attempt).map(NodeAttempt::attempt);
            }
        }
        return Optional.empty();
    }

    private static Optional<AttemptId> attemptId(String text) {
        var parts = text.split("\\.", -1);
        try {
            return parts.length == 2
                    ? Optional.of(
                            new AttemptId(
                                    new TaskId(Long.parseLong(parts[0])),
                                    Integer.parseInt(parts[1])))
                    : Optional.empty();
        } catch (IllegalArgumentException _) {
            // A task may put any text into its environment.
            return Optional.empty();
        }
    }

    /**
     * The name that the driver reports, which a program cannot change; otherwise the first word of
     * its command line, because a thread library may have renamed the process.
     */
    private static String program(GpuProcess process, ProcessStat stat) {
        var name = fileName(process.program());
        if (name.isEmpty() || name.startsWith("[")) {
            name = fileName(command(stat.pid()));
        }
        return name.isEmpty() ? stat.program() : name;
    }

    private static String command(long pid) {
        try {
            var text =
                    new String(
                            SmallFile.read("/proc/" + pid + "/cmdline", COMMAND_BYTES),
                            StandardCharsets.UTF_8);
            int end = text.indexOf('\0');
            return end < 0 ? text : text.substring(0, end);
        } catch (IOException _) {
            return "";
        }
    }

    private static String fileName(String path) {
        var name = path.substring(path.lastIndexOf('/') + 1).strip();
        return name.length() > MAX_PROGRAM_CHARS ? name.substring(0, MAX_PROGRAM_CHARS) : name;
    }
}
