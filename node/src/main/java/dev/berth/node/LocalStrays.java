package dev.berth.node;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Strays;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessSet;
import dev.berth.node.process.ProcessSet.Member;
import dev.berth.node.process.ProcessTable;
import dev.berth.node.process.Sweep;
import dev.berth.node.process.Traces;

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
 * What runs on this host with a marker of this home. It is found and ended like what a command
 * leaves behind, so a tmux server and other users' processes are spared here too.
 */
final class LocalStrays implements Strays {

    private static final Logger log = LoggerFactory.getLogger(LocalStrays.class);

    /** Somebody waits for the answer. */
    private static final Duration LONGEST_GRACE = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Pattern ATTEMPT = Pattern.compile("([1-9]\\d{0,17})\\.([1-9]\\d{0,8})");

    private final String home;
    private final ProcessTable table;
    private final Sweep sweep;
    private final Sweep.Limits limits;

    LocalStrays(String home, ProcessTable table, Sweep sweep, Duration grace) {
        this.home = home;
        this.table = table;
        this.sweep = sweep;
        this.limits =
                new Sweep.Limits(
                        grace.compareTo(LONGEST_GRACE) < 0 ? grace : LONGEST_GRACE, PATIENCE);
    }

    @Override
    public SortedSet<AttemptId> attempts() throws Unreadable {
        return reading(
                () -> {
                    var attempts = new TreeSet<AttemptId>();
                    table.attempts().forEach(text -> parse(text).ifPresent(attempts::add));
                    return attempts;
                });
    }

    /** Anybody can write anything into a variable. */
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
    public List<Stray> of(AttemptId over) throws Unreadable {
        return reading(() -> strays(over, set(over).look().members()));
    }

    @Override
    public List<Stray> end(AttemptId over) throws Unreadable {
        return reading(
                () -> {
                    var report = sweep.run(set(over), limits);
                    if (!report.stuck().isEmpty()) {
                        log.error(
                                "task={} attempt={} cannot be ended: {}",
                                over.task(),
                                over.number(),
                                Leftovers.describe(report.stuck()));
                    }
                    return strays(over, report.ended());
                });
    }

    /** Its shim may be among them or not; its group, if it had one, went when it ended. */
    private ProcessSet set(AttemptId over) throws IOException {
        var marker = new Marker(home, over.toString());
        return new ProcessSet(new Traces(marker, Optional.empty(), Optional.empty()), table);
    }

    private static List<Stray> strays(AttemptId over, List<Member> members) throws IOException {
        var boot = Proc.bootTime();
        return members.stream()
                .map(
                        member ->
                                new Stray(
                                        member.key().pid(),
                                        member.program(),
                                        over,
                                        boot.plus(Proc.sinceBoot(member.key()))))
                .toList();
    }

    @Override
    public boolean isAlive(long pid) throws Unreadable {
        if (pid < 1 || pid > Integer.MAX_VALUE) {
            return false;
        }
        return reading(
                () -> {
                    var stat = Proc.visible(pid);
                    return stat.isPresent() ? stat.get().isAlive() : isHidden(pid);
                });
    }

    /** Where the list leaves others' processes out, the kernel still tells that there is one. */
    private static boolean isHidden(long pid) throws IOException {
        if (!Pidfd.supported()) {
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
                .filter(marker -> marker.home().equals(home))
                .flatMap(marker -> parse(marker.attempt()));
    }

    private interface Look<T> {
        T take() throws IOException, InterruptedException;
    }

    private static <T> T reading(Look<T> look) throws Unreadable {
        try {
            return look.take();
        } catch (IOException unreadable) {
            throw new Unreadable("the list of processes cannot be read", unreadable);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Unreadable("interrupted while ending processes", interrupted);
        }
    }
}
