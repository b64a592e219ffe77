package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.process.AttemptTraces;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessSet;
import dev.berth.node.process.ProcessSet.Member;
import dev.berth.node.process.ProcessTable;
import dev.berth.node.process.Sweep;
import dev.berth.port.read.LeftoverProcesses;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Finds processes on this host that carry a marker of this home, and ends them. The search and the
 * rules are those of {@link ProcessSet}, so a tmux server and processes of other users are spared
 * here too.
 */
final class LocalLeftovers implements LeftoverProcesses {

    private static final Logger log = LoggerFactory.getLogger(LocalLeftovers.class);

    /** Short, because an API caller waits for the answer. */
    private static final Duration MAX_GRACE = Duration.ofSeconds(10);

    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(5);
    private static final Pattern ATTEMPT = Pattern.compile("([1-9]\\d{0,17})\\.([1-9]\\d{0,8})");

    private final String home;
    private final ProcessTable table;
    private final Sweep sweep;
    private final Sweep.SweepLimits limits;
    private final AttemptOwners owners;

    LocalLeftovers(
            String home, ProcessTable table, Sweep sweep, Duration grace, AttemptOwners owners) {
        this.home = home;
        this.table = table;
        this.sweep = sweep;
        this.owners = owners;
        this.limits =
                new Sweep.SweepLimits(
                        grace.compareTo(MAX_GRACE) < 0 ? grace : MAX_GRACE, KILL_TIMEOUT);
    }

    @Override
    public SortedSet<AttemptId> attempts() throws ProcessTableUnreadable {
        return reading(
                () -> {
                    var attempts = new TreeSet<AttemptId>();
                    for (var marked : table.marked()) {
                        parse(marked.attempt())
                                .filter(id -> owners.mayBelong(marked.pid(), id))
                                .ifPresent(attempts::add);
                    }
                    return attempts;
                });
    }

    /** A user can set the variable to any text, so the value is validated. */
    private static Optional<AttemptId> parse(String text) {
        var matcher = ATTEMPT.matcher(text);
        return matcher.matches()
                ? Optional.of(
                        new AttemptId(
                                new TaskId(Long.parseLong(matcher.group(1))),
                                Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    @Override
    public List<LeftoverProcess> of(AttemptId endedAttempt) throws ProcessTableUnreadable {
        return reading(() -> leftoverProcesses(endedAttempt, set(endedAttempt).scan().members()));
    }

    @Override
    public List<LeftoverProcess> end(AttemptId endedAttempt) throws ProcessTableUnreadable {
        return reading(
                () -> {
                    var report = sweep.run(set(endedAttempt), limits);
                    if (!report.stuck().isEmpty()) {
                        log.error(
                                "task={} attempt={} cannot be ended: {}",
                                endedAttempt.task(),
                                endedAttempt.number(),
                                LeftoverFacts.describe(report.stuck()));
                    }
                    return leftoverProcesses(endedAttempt, report.ended());
                });
    }

    /**
     * Only the marker identifies them: the shim may be gone, and the attempt's cgroup was removed
     * when it ended.
     */
    private ProcessSet set(AttemptId endedAttempt) throws IOException {
        var marker = new Marker(home, endedAttempt.toString());
        return new ProcessSet(
                new AttemptTraces(
                        marker,
                        Optional.empty(),
                        Optional.empty(),
                        owners.uid(endedAttempt),
                        false),
                table);
    }

    private static List<LeftoverProcess> leftoverProcesses(
            AttemptId endedAttempt, List<Member> members) throws IOException {
        var boot = Proc.bootTime();
        return members.stream()
                .map(
                        member ->
                                new LeftoverProcess(
                                        member.key().pid(),
                                        member.program(),
                                        endedAttempt,
                                        boot.plus(Proc.startAfterBoot(member.key()))))
                .toList();
    }

    @Override
    public boolean isAlive(long pid) throws ProcessTableUnreadable {
        if (pid < 1 || pid > Integer.MAX_VALUE) {
            return false;
        }
        return reading(
                () -> {
                    var stat = Proc.statIfVisible(pid);
                    return stat.isPresent() ? stat.get().isAlive() : isHidden(pid);
                });
    }

    /**
     * With hidepid, {@code /proc} does not list processes of other users, but {@code pidfd_open}
     * still finds them.
     */
    private static boolean isHidden(long pid) throws IOException {
        if (!Pidfd.isSupported()) {
            return false;
        }
        try (var held = Pidfd.open(pid).orElse(null)) {
            return held != null;
        }
    }

    @Override
    public Optional<AttemptId> attemptOf(long pid) {
        return Proc.variable(pid, Marker.VARIABLE)
                .value()
                .flatMap(Marker::parse)
                .filter(marker -> marker.homeId().equals(home))
                .flatMap(marker -> parse(marker.attempt()))
                .filter(attempt -> owners.mayBelong(pid, attempt));
    }

    private interface TimedQuery<T> {
        T run() throws IOException, InterruptedException;
    }

    private static <T> T reading(TimedQuery<T> query) throws ProcessTableUnreadable {
        try {
            return query.run();
        } catch (IOException unreadable) {
            throw new ProcessTableUnreadable("the list of processes cannot be read", unreadable);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new ProcessTableUnreadable("interrupted while ending processes", interrupted);
        }
    }
}
