package dev.berth.port;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.ClusterWait;
import dev.berth.core.predict.Learned;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.findings.progress.Progress;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * A report from a node or from the server itself. A fact is never refused; an outdated one is
 * ignored.
 */
public sealed interface Fact {

    /** What the server finds out itself; a node never reports it. */
    sealed interface OfServer extends Fact {}

    /** The runs that ended before this server started were read. */
    record EndedRunsRead(Learned learned) implements OfServer {}

    /** The groups of these principals were looked up. */
    record GroupsRead(SortedMap<String, SortedSet<String>> byPrincipal) implements OfServer {
        public GroupsRead {
            byPrincipal = Collections.unmodifiableSortedMap(new TreeMap<>(byPrincipal));
        }
    }

    /** The shim of the attempt has taken {@code go} and is alive. */
    record Started(AttemptId attempt, ShimProcess process) implements Fact {}

    /**
     * An attempt that was handed to a cluster has started there: its shim has taken {@code go}.
     *
     * @param host that runs it
     * @param gpus that the cluster gave it
     */
    record Placed(AttemptId attempt, String host, List<Gpu> gpus, ShimProcess process)
            implements OfServer {
        public Placed {
            gpus = List.copyOf(gpus);
        }
    }

    /** What the cluster says about all attempts that wait there. */
    record ClusterWaits(SortedMap<AttemptId, ClusterWait> waits) implements OfServer {
        public ClusterWaits {
            waits = Collections.unmodifiableSortedMap(new TreeMap<>(waits));
        }
    }

    /** The window that follows its log is another one than planned, or none. */
    record WindowChanged(AttemptId attempt, Optional<String> window) implements Fact {}

    /** Its script reported its own end while some of its processes may still be there. */
    record ScriptReported(AttemptId attempt, ScriptReport report) implements Fact {}

    /** The output of the attempt shows this progress. */
    record Progressed(AttemptId attempt, Progress progress) implements Fact {}

    /** No progress for this long, which is unusual for the attempt. */
    record Stalled(AttemptId attempt, Duration stalledFor) implements Fact {}

    /** The attempt has reached the time limit of its task. */
    record TimeLimitReached(AttemptId attempt) implements Fact {}

    /** An attempt of an earlier server is alive and watched again. */
    record Adopted(AttemptId attempt, ShimProcess process) implements Fact {}

    /** An adopted attempt is over or being ended; its end will be reported. */
    record EndingProcesses(AttemptId attempt) implements Fact {}

    /** Berth cannot find out the state of the attempt. */
    record Lost(AttemptId attempt, String why) implements Fact {}

    /** A process of the attempt survived KILL. */
    record Stuck(AttemptId attempt, String what) implements Fact {}

    /**
     * No process of the attempt is left.
     *
     * @param leftovers leftover processes that were ended, and tmux servers that were left running
     * @param hasLeftGpus a reading has shown that it left its GPUs; otherwise a later {@link
     *     CardsRead} will
     * @param report what its script reported about its own end; decides over the exit code
     */
    record Ended(
            AttemptId attempt,
            Ending ending,
            List<Leftover> leftovers,
            boolean hasLeftGpus,
            AttemptFindings findings,
            Optional<ScriptReport> report)
            implements Fact {
        public Ended {
            leftovers = List.copyOf(leftovers);
        }

        /** Without a report. */
        public Ended(
                AttemptId attempt,
                Ending ending,
                List<Leftover> leftovers,
                boolean isOffItsCards,
                AttemptFindings findings) {
            this(attempt, ending, leftovers, isOffItsCards, findings, Optional.empty());
        }

        /** Without findings. */
        public Ended(
                AttemptId attempt, Ending ending, List<Leftover> leftovers, boolean isOffItsCards) {
            this(attempt, ending, leftovers, isOffItsCards, AttemptFindings.NONE);
        }

        /** Without findings, of an attempt that has left its GPUs. */
        public Ended(AttemptId attempt, Ending ending, List<Leftover> leftovers) {
            this(attempt, ending, leftovers, true, AttemptFindings.NONE);
        }
    }

    /** A worker has loaded its model. */
    record WorkerReady(AttemptId worker, Duration loadTime) implements Fact {}

    /** A worker cannot be used any more. Its process may still be there. */
    record WorkerFailed(AttemptId worker, WorkerFault fault, String why) implements Fact {}

    /** What is wrong with a worker. */
    enum WorkerFault {
        /** It has not answered for too long. */
        SILENT,
        /** It does not follow the protocol. */
        PROTOCOL,
        /** It has not loaded its model in time. */
        NOT_READY
    }

    /**
     * A worker has answered a call, or the call was withdrawn before it was sent.
     *
     * @param result JSON; absent if it failed
     * @param start its start, if that was not reported before
     * @param consumption empty if the GPU was not read while the call ran
     */
    record CallEnded(
            AttemptId attempt,
            Ending ending,
            Optional<String> result,
            Optional<ShimProcess> start,
            Optional<GpuConsumption> consumption)
            implements Fact {

        /** Whose start was reported, without a measurement. */
        public CallEnded(AttemptId attempt, Ending ending, Optional<String> result) {
            this(attempt, ending, result, Optional.empty(), Optional.empty());
        }
    }

    /**
     * A reading of the GPUs of the node. A GPU that is not listed cannot be read.
     *
     * @param departures ended attempts that have left their GPUs by this reading, which began after
     *     their end
     * @param readFailure why no GPU can be read, if so
     */
    record GpusRead(
            String node,
            List<GpuState> gpus,
            List<Departure> departures,
            Optional<String> readFailure)
            implements Fact {
        public GpusRead {
            gpus = List.copyOf(gpus);
            departures = List.copyOf(departures);
        }

        public GpusRead(String node, List<GpuState> cards) {
            this(node, cards, List.of(), Optional.empty());
        }
    }

    /**
     * @param isVerified the driver's process list shows that it is gone; otherwise the node could
     *     not verify that and has stopped waiting
     */
    record Departure(AttemptId attempt, boolean isVerified) {}

    /** The hardware of a GPU reported a fault; the GPU is still listed. */
    record GpuFaultFound(GpuId gpu, GpuFault.Kind kind, String why) implements Fact {}

    /**
     * The result of a test.
     *
     * @param failure why the GPU did not pass, if so
     */
    record GpuTested(GpuId gpu, Optional<String> failure) implements Fact {}

    /** Notifications to this receiver fail. */
    record NotificationFailed(String receiver, String why) implements OfServer {}

    /** The database does not match its checksums. */
    record DatabaseDamaged(String what) implements OfServer {}

    /** The first backup that failed after one that succeeded. */
    record BackupFailed(String why) implements OfServer {}

    /**
     * The store could not be written for some time, and can again.
     *
     * @param why its first error
     */
    record StoreRecovered(String why, Duration failedFor) implements OfServer {}

    /** Space for files of tasks became low or sufficient: bytes, inodes or both. */
    record DiskSpaceRead(String node, boolean isLow, long freeMib, OptionalLong freeInodes)
            implements Fact {

        /** On a file system that does not count inodes. */
        public DiskSpaceRead(String node, boolean isLow, long freeMib) {
            this(node, isLow, freeMib, OptionalLong.empty());
        }
    }

    /** A process that outlived the command of its attempt. */
    record Leftover(long pid, String program, boolean wasEnded) {}
}
