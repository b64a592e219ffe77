package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.ChildSubreaper;
import dev.berth.node.process.ProcessTable.ScannedProcess;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The living processes of one attempt. A process belongs to it if it started no earlier than the
 * attempt's shim, has the attempt's user, and carries the attempt's marker, or is in its session,
 * or descends from a process that belongs to it. Once found to belong, it always belongs. The shim
 * and the process that becomes the command may have the node's own user instead. A process in the
 * attempt's cgroup belongs to it, whatever its user. Excluded are Berth itself, and every tmux
 * server with the processes below it, because users work in there.
 */
public final class ProcessSet {
    /**
     * Loading a program takes a moment, unless its disk does not respond; that is not worth waiting
     * for.
     */
    private static final int SCANS_WHILE_LOADING = 100;

    private static final int SCANS_WHILE_EMPTY = 4;
    private static final long SCAN_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final AttemptTraces traces;
    private final ProcessTable table;
    private final long self = ProcessHandle.current().pid();
    private final String bootId;
    private final long nodeUser;

    /** The kernel may have made this process the parent of orphans that tasks left. */
    private final boolean adoptsOrphans = ChildSubreaper.hasBeenThisProcess();

    /** Processes that were found to belong, for all later scans. */
    private final Set<ProcessKey> found = new HashSet<>();

    public ProcessSet(AttemptTraces traces, ProcessTable table) throws IOException {
        this.traces = traces;
        this.table = table;
        bootId = Proc.bootId();
        nodeUser = Proc.userIdOfThisProcess();
    }

    /** The attempt whose processes these are. */
    String attempt() {
        return traces.marker().attempt();
    }

    /**
     * Scans the whole host now. Repeats the scan while a process that may belong is still loading
     * its program, because its marker is not readable then.
     */
    public ScanResult scan() throws IOException {
        if (traces.shim().isPresent() && !traces.shim().get().bootId().equals(bootId)) {
            return new ScanResult(List.of(), List.of());
        }
        var scanned = scanned();
        var members = members(scanned);
        for (var scans = 1; scans < scansNeeded(scanned, members); scans++) {
            LockSupport.parkNanos(SCAN_PAUSE_NANOS);
            scanned = scanned();
            members = members(scanned);
        }
        return classify(scanned, members);
    }

    /** One scan, unless a process may still turn out to belong. */
    private int scansNeeded(Map<Long, ScannedProcess> scanned, Set<Long> members) {
        return scanned.values().stream()
                .filter(seen -> !members.contains(seen.stat().pid()))
                .filter(seen -> seen.stat().isAlive() && isMarkerRelevant(scanned, seen))
                .mapToInt(ProcessSet::scansNeeded)
                .max()
                .orElse(1);
    }

    /** The state was read a moment before the environment, so the two may disagree. */
    private static int scansNeeded(ScannedProcess seen) {
        return switch (seen.stat().environment()) {
            case NONE -> 1;
            case LOADING -> SCANS_WHILE_LOADING;
            case PRESENT -> seen.wasEnvironmentEmpty() ? SCANS_WHILE_LOADING : 1;
            case EMPTY -> SCANS_WHILE_EMPTY;
        };
    }

    private Map<Long, ScannedProcess> scanned() throws IOException {
        var scanned = new TreeMap<Long, ScannedProcess>();
        for (var seen : candidates()) {
            scanned.put(seen.stat().pid(), seen);
        }
        scanned.remove(self);
        return scanned;
    }

    private List<ScannedProcess> candidates() throws IOException {
        if (traces.cgroup().isPresent()) {
            return table.withPids(Cgroups.processes(traces.cgroup().get()));
        }
        var since = traces.shim().map(ProcessKey::startTick).orElse(0L);
        return table.startedSince(since, traces.marker());
    }

    /** The pids that belong, including zombies: other processes may be in a zombie's session. */
    private Set<Long> members(Map<Long, ScannedProcess> scanned) throws IOException {
        if (traces.cgroup().isPresent()) {
            return scanned.keySet();
        }
        var members = new HashSet<Long>();
        for (var seen : scanned.values()) {
            if (found.contains(key(seen))
                    || isShim(seen)
                    || (isMarkerRelevant(scanned, seen) && isMarked(seen))) {
                members.add(seen.stat().pid());
            }
        }
        if (traces.isOnlyOfUser()) {
            for (var seen : scanned.values()) {
                if (isEscaped(seen)) {
                    members.add(seen.stat().pid());
                }
            }
        }
        if (isSessionOfAttempt(scanned, members)) {
            scanned.values().stream()
                    .filter(this::isInSession)
                    .forEach(seen -> members.add(seen.stat().pid()));
        }
        addDescendants(scanned, members);
        return members;
    }

    private boolean isShim(ScannedProcess seen) {
        return traces.shim().filter(key(seen)::equals).isPresent();
    }

    /** A process of another user may carry any marker: it proves nothing. */
    private boolean isMarked(ScannedProcess seen) throws IOException {
        return table.marker(seen).filter(traces.marker()::equals).isPresent()
                && (!isForOwner() || isOwnUser(seen.stat()));
    }

    /**
     * True for an orphan of the attempt's user that a task left, and that carries no marker. A tmux
     * server in the system's own program is no task's: the node opens windows there.
     */
    private boolean isEscaped(ScannedProcess seen) throws IOException {
        return adoptsOrphans
                && isForOwner()
                && traces.shim().isPresent()
                && seen.stat().parent() == self
                && !isShim(seen)
                && Proc.userId(seen.stat().pid()).equals(ownerUid())
                && table.marker(seen).isEmpty()
                && !TmuxServers.isOne(seen.stat());
    }

    private Optional<Long> ownerUid() {
        return traces.user().stream().boxed().findFirst();
    }

    /** True if the processes have another user than the node. */
    private boolean isForOwner() {
        return traces.user().isEmpty() || traces.user().getAsLong() != nodeUser;
    }

    /**
     * True if the marker of this process matters. An orphan is recognised only by its marker, and a
     * marked process in the session proves that the session is the attempt's. For any other process
     * the parent is listed too and decides. A child of this server is a shim, of this attempt or of
     * another, unless this server gets the orphans.
     */
    private boolean isMarkerRelevant(Map<Long, ScannedProcess> scanned, ScannedProcess seen) {
        var parent = seen.stat().parent();
        var isOrphan = !scanned.containsKey(parent) || table.isReaper(parent);
        return (parent != self || adoptsOrphans)
                && (isOrphan || isInSession(seen) || traces.shim().isEmpty());
    }

    private boolean isInSession(ScannedProcess seen) {
        return traces.shim().isPresent() && seen.stat().session() == traces.shim().get().pid();
    }

    /**
     * The kernel reuses a number only when no process, group or session has it. So the session
     * belongs to the attempt while its shim exists, even as a zombie, or while a process known to
     * belong to the attempt is in it. Otherwise the number may have been reused.
     */
    private boolean isSessionOfAttempt(Map<Long, ScannedProcess> scanned, Set<Long> members) {
        return members.stream()
                .map(scanned::get)
                .anyMatch(seen -> isShim(seen) || isInSession(seen));
    }

    private static void addDescendants(Map<Long, ScannedProcess> scanned, Set<Long> members) {
        int before;
        do {
            before = members.size();
            for (var seen : scanned.values()) {
                var parent = scanned.get(seen.stat().parent());
                if (parent != null
                        && members.contains(parent.stat().pid())
                        && parent.stat().startTick() <= seen.stat().startTick()) {
                    members.add(seen.stat().pid());
                }
            }
        } while (members.size() > before);
    }

    private ScanResult classify(Map<Long, ScannedProcess> scanned, Set<Long> members)
            throws IOException {
        var alive = new ArrayList<Member>();
        var spared = new ArrayList<Spared>();
        for (var seen : scanned.values()) {
            var stat = seen.stat();
            var member = new Member(key(seen), stat.program(), isShim(seen), stat.isStopped());
            if (!stat.isAlive()) {
                continue;
            }
            if (!members.contains(stat.pid())) {
                if (isInSession(seen) && !scanned.containsKey(stat.session()) && isOwnUser(stat)) {
                    spared.add(new Spared(member, Spared.SpareReason.UNCERTAIN_SESSION));
                } else if (traces.cgroup().isEmpty() && isEscaped(seen)) {
                    spared.add(new Spared(member, Spared.SpareReason.UNCERTAIN_ATTEMPT));
                }
            } else if (isBelowTmux(scanned, stat)) {
                spared.add(new Spared(member, Spared.SpareReason.TMUX));
            } else if (!found.contains(member.key()) && !isCertain() && !isOwnUser(stat)) {
                spared.add(new Spared(member, Spared.SpareReason.OTHER_USER));
            } else {
                found.add(member.key());
                alive.add(member);
            }
        }
        return new ScanResult(alive, spared);
    }

    private boolean isOwnUser(ProcessStat stat) throws IOException {
        var user = Proc.userId(stat.pid());
        return user.isPresent()
                && (user.get() == traces.user().orElse(-1)
                        || (user.get() == nodeUser && isShimOrItsChild(stat)));
    }

    /** The child is the command, which has the node's user until it changes to its owner. */
    private boolean isShimOrItsChild(ProcessStat stat) {
        return traces.shim().isPresent()
                && (traces.shim().get().pid() == stat.parent()
                        || traces.shim().get().equals(key(stat)));
    }

    /**
     * True for a tmux server that the attempt started, and for anything in its windows. A tmux
     * server above the shim does not count: Berth itself may run in tmux, but that server started
     * earlier and is not listed here.
     */
    private static boolean isBelowTmux(Map<Long, ScannedProcess> scanned, ProcessStat stat) {
        var steps = scanned.size();
        for (ProcessStat at = stat; at != null && steps >= 0; steps--) {
            if (at.program().equals(TmuxServers.NAME)) {
                return true;
            }
            var parent = scanned.get(at.parent());
            at = parent == null ? null : parent.stat();
        }
        return false;
    }

    /** Only the node puts processes into a cgroup that belongs to root; they cannot leave it. */
    private boolean isCertain() {
        return traces.cgroup().isPresent() && isForOwner();
    }

    private ProcessKey key(ScannedProcess seen) {
        return key(seen.stat());
    }

    private ProcessKey key(ProcessStat stat) {
        return new ProcessKey(bootId, stat.pid(), stat.startTick());
    }

    /**
     * @param program its own name for itself
     * @param isStopped it must be continued before it can handle a TERM
     */
    public record Member(ProcessKey key, String program, boolean isShim, boolean isStopped) {}

    /** Seems to belong to the attempt, but Berth must not end it. */
    public record Spared(Member process, SpareReason why) {

        public enum SpareReason {
            TMUX,
            OTHER_USER,
            /**
             * Its session has the number of the attempt's session, whose processes are all gone, so
             * the number may have been reused.
             */
            UNCERTAIN_SESSION,
            /** A task of this user left it without a trace, and several tasks of the user run. */
            UNCERTAIN_ATTEMPT
        }
    }

    /** The result of one scan. */
    public record ScanResult(List<Member> members, List<Spared> spared) {
        public ScanResult {
            members = List.copyOf(members);
            spared = List.copyOf(spared);
        }

        public boolean isEmpty() {
            return members.isEmpty();
        }
    }
}
