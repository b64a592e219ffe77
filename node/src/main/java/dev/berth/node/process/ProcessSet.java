package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.process.ProcessTable.Seen;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What is alive of one attempt. A process belongs to it when it started no earlier than the
 * attempt's shim, is the same user's, and carries the attempt's marker, or is in its session, or
 * descends from a process that belongs to it; and once it was found to belong, it does. Never Berth
 * itself, and never a tmux server or what runs below one: people work in there.
 */
public final class ProcessSet {
    private static final String TMUX_SERVER = "tmux: server";

    /** A program is loaded in a moment, unless its disk is gone: that is not worth waiting for. */
    private static final int LOOKS_WHILE_LOADING = 100;

    private static final int LOOKS_WHILE_EMPTY = 4;
    private static final long LOADING_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final Traces traces;
    private final ProcessTable table;
    private final long self = ProcessHandle.current().pid();
    private final String bootId;
    private final long user;

    /** Belong for good, by pid and start tick. */
    private final Set<ProcessKey> found = new HashSet<>();

    public ProcessSet(Traces traces, ProcessTable table) throws IOException {
        this.traces = traces;
        this.table = table;
        bootId = Proc.bootId();
        user =
                Proc.user(self)
                        .orElseThrow(() -> new IOException("/proc does not show this process"));
    }

    /**
     * Looks at the whole host, now; and again while a process that may belong is just loading its
     * program, for then its marker cannot be seen.
     */
    public View look() throws IOException {
        if (traces.shim().isPresent() && !traces.shim().get().bootId().equals(bootId)) {
            return new View(List.of(), List.of());
        }
        var here = here();
        var members = members(here);
        for (var looks = 1; looks < looksNeeded(here, members); looks++) {
            LockSupport.parkNanos(LOADING_NANOS);
            here = here();
            members = members(here);
        }
        return judge(here, members);
    }

    /** One, unless something may still turn out to belong. */
    private int looksNeeded(Map<Long, Seen> here, Set<Long> members) {
        return here.values().stream()
                .filter(seen -> !members.contains(seen.stat().pid()))
                .filter(seen -> seen.stat().isAlive() && isToBeAsked(here, seen))
                .mapToInt(ProcessSet::looksNeeded)
                .max()
                .orElse(1);
    }

    /** Its state was read a moment before its environment, so that the two may disagree. */
    private static int looksNeeded(Seen seen) {
        return switch (seen.stat().environment()) {
            case NONE -> 1;
            case LOADING -> LOOKS_WHILE_LOADING;
            case PRESENT -> seen.wasBlank() ? LOOKS_WHILE_LOADING : 1;
            case EMPTY -> LOOKS_WHILE_EMPTY;
        };
    }

    private Map<Long, Seen> here() throws IOException {
        var here = new TreeMap<Long, Seen>();
        for (var seen : candidates()) {
            here.put(seen.stat().pid(), seen);
        }
        here.remove(self);
        return here;
    }

    private List<Seen> candidates() throws IOException {
        if (traces.cgroup().isPresent()) {
            return table.among(Cgroups.processes(traces.cgroup().get()));
        }
        var since = traces.shim().map(ProcessKey::startTick).orElse(0L);
        return table.startedSince(since, traces.marker());
    }

    /** The pids that belong, zombies too: what a zombie's session holds is still to be found. */
    private Set<Long> members(Map<Long, Seen> here) {
        if (traces.cgroup().isPresent()) {
            return here.keySet();
        }
        var members = new HashSet<Long>();
        for (var seen : here.values()) {
            if (found.contains(key(seen))
                    || isShim(seen)
                    || (isToBeAsked(here, seen) && isMarked(seen))) {
                members.add(seen.stat().pid());
            }
        }
        if (isSessionOurs(here, members)) {
            here.values().stream()
                    .filter(this::isInSession)
                    .forEach(seen -> members.add(seen.stat().pid()));
        }
        addDescendants(here, members);
        return members;
    }

    private boolean isShim(Seen seen) {
        return traces.shim().filter(key(seen)::equals).isPresent();
    }

    private boolean isMarked(Seen seen) {
        return table.marker(seen).filter(traces.marker()::equals).isPresent();
    }

    /**
     * Whether its marker matters. An orphan is known by it alone, and one in the session vouches by
     * it for the others there; of any other process the parent is here too, and tells. A child of
     * this very process is a shim, this attempt's or another's.
     */
    private boolean isToBeAsked(Map<Long, Seen> here, Seen seen) {
        var parent = seen.stat().parent();
        var isOrphan = !here.containsKey(parent) || table.isReaper(parent);
        return parent != self && (isOrphan || isInSession(seen) || traces.shim().isEmpty());
    }

    private boolean isInSession(Seen seen) {
        return traces.shim().isPresent() && seen.stat().session() == traces.shim().get().pid();
    }

    /**
     * The kernel gives a number out again only when no process, group or session has it. So the
     * session is the attempt's while its shim is there, be it as a zombie, or while a process known
     * to be the attempt's is in it. Otherwise the number may have gone to a stranger since.
     */
    private boolean isSessionOurs(Map<Long, Seen> here, Set<Long> members) {
        return members.stream().map(here::get).anyMatch(seen -> isShim(seen) || isInSession(seen));
    }

    private static void addDescendants(Map<Long, Seen> here, Set<Long> members) {
        int before;
        do {
            before = members.size();
            for (var seen : here.values()) {
                var parent = here.get(seen.stat().parent());
                if (parent != null
                        && members.contains(parent.stat().pid())
                        && parent.stat().startTick() <= seen.stat().startTick()) {
                    members.add(seen.stat().pid());
                }
            }
        } while (members.size() > before);
    }

    private View judge(Map<Long, Seen> here, Set<Long> members) throws IOException {
        var alive = new ArrayList<Member>();
        var spared = new ArrayList<Spared>();
        for (var seen : here.values()) {
            var stat = seen.stat();
            var member = new Member(key(seen), stat.program(), isShim(seen), stat.isStopped());
            if (!stat.isAlive()) {
                continue;
            }
            if (!members.contains(stat.pid())) {
                if (isInSession(seen) && !here.containsKey(stat.session()) && isUsers(stat)) {
                    spared.add(new Spared(member, Spared.Why.DOUBTFUL_SESSION));
                }
            } else if (isBelowTmux(here, stat)) {
                spared.add(new Spared(member, Spared.Why.TMUX));
            } else if (!found.contains(member.key()) && !isUsers(stat)) {
                spared.add(new Spared(member, Spared.Why.OTHER_USER));
            } else {
                found.add(member.key());
                alive.add(member);
            }
        }
        return new View(alive, spared);
    }

    private boolean isUsers(ProcessStat stat) throws IOException {
        return Proc.user(stat.pid()).filter(owner -> owner == user).isPresent();
    }

    /**
     * A tmux server that the attempt started, or something in one of its windows. One above the
     * shim does not count: Berth itself may have been started in tmux, and it started before, so it
     * is not here.
     */
    private static boolean isBelowTmux(Map<Long, Seen> here, ProcessStat stat) {
        var steps = here.size();
        for (ProcessStat at = stat; at != null && steps >= 0; steps--) {
            if (at.program().equals(TMUX_SERVER)) {
                return true;
            }
            var parent = here.get(at.parent());
            at = parent == null ? null : parent.stat();
        }
        return false;
    }

    private ProcessKey key(Seen seen) {
        return new ProcessKey(bootId, seen.stat().pid(), seen.stat().startTick());
    }

    /**
     * @param program its name for itself
     * @param isStopped it must be woken to follow a TERM
     */
    public record Member(ProcessKey key, String program, boolean isShim, boolean isStopped) {}

    /** Belongs to the attempt, as far as one can see, but is not Berth's to end. */
    public record Spared(Member process, Why why) {

        /** For what reason it was spared. */
        public enum Why {
            TMUX,
            OTHER_USER,
            /**
             * Its session has the number of the attempt's, whose processes are gone: perhaps a
             * stranger.
             */
            DOUBTFUL_SESSION
        }
    }

    /** One look. */
    public record View(List<Member> members, List<Spared> spared) {
        public View {
            members = List.copyOf(members);
            spared = List.copyOf(spared);
        }

        public boolean isEmpty() {
            return members.isEmpty();
        }
    }
}
