package dev.berth.node.card;

import dev.berth.core.card.Occupant;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.TaskId;
import dev.berth.node.card.Holders.Holder;
import dev.berth.node.linux.RawFile;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessStat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds out who the processes on the cards are. What was found is remembered by pid and start tick
 * for as long as the driver lists the pid: it may do so for a while after the process is gone, and
 * then nobody else could tell whose it was. Used by one thread at a time.
 */
final class Occupancy {

    private static final int LONGEST_DESCENT = 64;
    private static final int COMMAND_BYTES = 512;
    private static final int LONGEST_PROGRAM = 100;
    private static final long MILLIS_PER_TICK = 10;

    private final String home;
    private final Holders holders;
    private final Users users;
    private final Instant boot;
    private final Looks<Known> looks = new Looks<>();
    private Map<Long, Known> known = new HashMap<>();

    private record Known(long startTick, Whose whose, String program, Instant since) {}

    /**
     * @param home whose attempts are ours
     */
    Occupancy(String home, Holders holders) throws IOException {
        this.home = home;
        this.holders = holders;
        this.users = new Users();
        this.boot = Proc.bootTime();
    }

    /** The rows with their occupants named. */
    List<CardRow> name(List<CardRow> rows) {
        var listed = new HashMap<Long, Known>();
        var named = new ArrayList<CardRow>(rows.size());
        for (var row : rows) {
            var occupants =
                    row.reading()
                            .occupants()
                            .map(all -> all.stream().map(one -> name(one, listed)).toList());
            named.add(row.with(occupants));
        }
        known = listed;
        return named;
    }

    private Occupant name(Occupant one, Map<Long, Known> listed) {
        if (!(one.whose() instanceof Whose.Unknown)) {
            return one;
        }
        var found = find(one);
        found.ifPresent(it -> listed.put(one.pid(), it));
        return new Occupant(
                one.pid(),
                one.usedMib(),
                one.kind(),
                found.map(Known::program).orElse(base(one.program())),
                found.map(Known::whose).orElse(one.whose()),
                found.map(Known::since));
    }

    private Optional<Known> find(Occupant one) {
        var before = Optional.ofNullable(known.get(one.pid()));
        try {
            var stat = Proc.visible(one.pid()).filter(ProcessStat::isAlive);
            if (stat.isEmpty()) {
                return before;
            }
            long tick = stat.get().startTick();
            var same = before.filter(it -> it.startTick() == tick && isSettled(it));
            return same.isPresent()
                    ? same
                    : looks.look(one.pid(), () -> look(one, stat.get())).or(() -> before);
        } catch (IOException unreadable) {
            return before;
        }
    }

    /** Anybody's may still turn out to be an attempt's, once that is known of. */
    private static boolean isSettled(Known known) {
        return known.whose() instanceof Whose.Ours;
    }

    private Known look(Occupant one, ProcessStat stat) throws IOException {
        Whose whose =
                attempt(stat).<Whose>map(Whose.Ours::new).orElseGet(() -> users.owner(stat.pid()));
        return new Known(
                stat.startTick(),
                whose,
                program(one, stat),
                boot.plusMillis(stat.startTick() * MILLIS_PER_TICK));
    }

    /**
     * By its marker; or, where its environment is not ours to read or was dropped, by its session
     * or its ancestors.
     */
    private Optional<AttemptId> attempt(ProcessStat stat) throws IOException {
        var marked =
                Proc.variable(stat.pid(), Marker.VARIABLE)
                        .value()
                        .flatMap(Marker::parse)
                        .filter(marker -> marker.home().equals(home))
                        .flatMap(marker -> attemptId(marker.attempt()));
        if (marked.isPresent()) {
            return marked;
        }
        var at = Optional.of(stat);
        for (int step = 0; at.isPresent() && step < LONGEST_DESCENT; step++) {
            var found = below(at.get());
            if (found.isPresent()) {
                return found;
            }
            at = Proc.visible(at.get().parent());
        }
        return Optional.empty();
    }

    private Optional<AttemptId> below(ProcessStat stat) {
        for (var holder : holders.now()) {
            var shim = holder.shim();
            if (shim.isPresent()
                    && (shim.get().pid() == stat.pid() || shim.get().pid() == stat.session())
                    && shim.get().startTick() <= stat.startTick()) {
                return Optional.of(holder).map(Holder::attempt);
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
            // A task may put anything into its own environment.
            return Optional.empty();
        }
    }

    /**
     * As the driver names it, which a program cannot change; else the first word of its command
     * line, since a thread library may have renamed the process.
     */
    private static String program(Occupant one, ProcessStat stat) {
        var name = base(one.program());
        if (name.isEmpty() || name.startsWith("[")) {
            name = base(command(stat.pid()));
        }
        return name.isEmpty() ? stat.program() : name;
    }

    private static String command(long pid) {
        try {
            var text =
                    new String(
                            RawFile.read("/proc/" + pid + "/cmdline", COMMAND_BYTES),
                            StandardCharsets.UTF_8);
            int end = text.indexOf('\0');
            return end < 0 ? text : text.substring(0, end);
        } catch (IOException _) {
            return "";
        }
    }

    private static String base(String path) {
        var name = path.substring(path.lastIndexOf('/') + 1).strip();
        return name.length() > LONGEST_PROGRAM ? name.substring(0, LONGEST_PROGRAM) : name;
    }
}
