package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.ClusterWait;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.port.Fact;
import dev.berth.port.Node;
import dev.berth.slurm.AttemptFiles.FileState;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Decides what files and Slurm's list of jobs say about the attempts that were handed over, and
 * what Slurm has to do. It starts no thread and calls no command; its caller does both.
 */
final class HandedAttempts {

    private static final Logger log = LoggerFactory.getLogger(HandedAttempts.class);

    /** After a crash, Slurm takes ended jobs for running ones for half an hour by its defaults. */
    private static final Duration LEFT_TIME = Duration.ofHours(1);

    private final AttemptFiles files;
    private final StartedAttempts started;
    private final Consumer<Fact> facts;
    private final GpuNames gpuNames;
    private final TreeMap<AttemptId, WatchedAttempt> watched = new TreeMap<>();
    private Map<AttemptId, ClusterWait> lastWaits = Map.of();

    /** The last attempt of each user whose attempts were watched lately, by uid. */
    private final TreeMap<Integer, LastWatched> owners = new TreeMap<>();

    /** Since when attempts are over whose jobs are still listed. */
    private final TreeMap<AttemptId, Instant> leftSince = new TreeMap<>();

    /** Raised with every order that Slurm acknowledged: older lists of jobs do not contain it. */
    private long acknowledged;

    private Optional<Instant> controllerStart = Optional.empty();

    private record LastWatched(AttemptId attempt, Instant at) {}

    HandedAttempts(
            AttemptFiles files, HostProcesses processes, GpuNames gpuNames, Consumer<Fact> facts) {
        this.files = files;
        this.gpuNames = gpuNames;
        this.facts = facts;
        this.started = new StartedAttempts(processes, () -> controllerStart, facts, this::end);
    }

    /**
     * Names of jobs are visible to all users of the cluster, so they say nothing about the task.
     */
    static String jobName(AttemptId id) {
        return "berth-" + id;
    }

    boolean isEmpty() {
        return watched.isEmpty();
    }

    /** The attempts whose start was seen. */
    Stream<WatchedAttempt> started() {
        return watched.values().stream().filter(one -> one.start().isPresent());
    }

    void handOver(Node.Launch launch) {
        var one = new WatchedAttempt(launch.attempt().id(), launch.reportKey());
        one.setOwner(
                launch.spec()
                        .script()
                        .text()
                        .runAs()
                        .map(account -> OptionalInt.of(account.uid()))
                        .orElse(OptionalInt.empty()));
        one.submit(launch);
        one.setTimeLimit(launch.spec().options().timeLimit());
        watched.put(one.id(), one);
    }

    void adopt(AttemptId id, Optional<Duration> timeLimit, Optional<String> reportKey) {
        watched.put(id, adopted(id, timeLimit, reportKey));
    }

    private WatchedAttempt adopted(
            AttemptId id, Optional<Duration> timeLimit, Optional<String> reportKey) {
        var one = new WatchedAttempt(id, reportKey);
        one.setOwner(files.owner(id));
        one.setTimeLimit(timeLimit);
        return one;
    }

    /** Without Slurm: an attempt that waits is over at once, whatever Slurm does. */
    void stop(AttemptId id, Instant now) {
        var one = watched.computeIfAbsent(id, _ -> adopted(id, Optional.empty(), Optional.empty()));
        one.requestStop(now);
        if (!endUnstarted(one, new Ending.NeverStarted())) {
            examine(one, now);
        }
    }

    void withdraw(AttemptId id) {
        var one = watched.get(id);
        if (one != null && one.start().isEmpty()) {
            endUnstarted(one, new Ending.NeverStarted());
        }
    }

    void forget(AttemptId id) {
        watched.remove(id);
    }

    /** The attempts to submit now. They count as being submitted until the result is known. */
    List<SlurmOrder.Submit> takeSubmits() {
        var orders = new ArrayList<SlurmOrder.Submit>();
        for (var one : watched.values()) {
            one.takeSubmit()
                    .ifPresent(launch -> orders.add(new SlurmOrder.Submit(one.id(), launch)));
        }
        return orders;
    }

    void submitted(AttemptId id) {
        acknowledged++;
        Optional.ofNullable(watched.get(id)).ifPresent(one -> one.acknowledged(acknowledged));
    }

    /** Slurm may have accepted it although it did not answer. */
    void notSubmitted(AttemptId id, SlurmFailure failure) {
        var one = watched.get(id);
        if (one == null) {
            return;
        }
        if (failure.isRefusal()) {
            endUnstarted(one, new Ending.LaunchFailed(failure.taskError()));
        } else {
            one.unanswered(failure.reason());
        }
    }

    /** The directory could not be written. */
    void notPrepared(AttemptId id, IOException failure) {
        Optional.ofNullable(watched.get(id))
                .ifPresent(one -> one.unanswered("cannot write its directory: " + failure));
    }

    /** A list of jobs that is requested now contains everything that was acknowledged until now. */
    long acknowledged() {
        return acknowledged;
    }

    /**
     * @param at read just now; empty if it was not needed or not answered
     */
    void controllerStarted(Optional<Instant> at) {
        controllerStart = at;
    }

    /** Whether an end cannot be explained without knowing when the controller started. */
    boolean needsControllerStart() {
        return watched.values().stream().anyMatch(WatchedAttempt::awaitsControllerStart);
    }

    /** Looks at the files alone: Slurm does not answer. */
    void examineFiles(Instant now) {
        for (var one : List.copyOf(watched.values())) {
            examine(one, now);
        }
    }

    /**
     * Whose jobs have to be listed, where jobs belong to the owners of tasks: also for a while
     * after their last attempt, because Slurm may take ended jobs for running ones.
     *
     * @return an attempt of each owner, by uid
     */
    SortedMap<Integer, AttemptId> owners(Instant now) {
        for (var one : watched.values()) {
            one.owner().ifPresent(uid -> owners.put(uid, new LastWatched(one.id(), now)));
        }
        owners.values().removeIf(last -> last.at().plus(LEFT_TIME).isBefore(now));
        var attempts = new TreeMap<Integer, AttemptId>();
        owners.forEach((uid, last) -> attempts.put(uid, last.attempt()));
        return attempts;
    }

    /**
     * Looks at the files and at Slurm's list.
     *
     * @param requestedAt the value of {@link #acknowledged} when the list was requested
     * @return jobs to cancel
     */
    List<SlurmOrder.Cancel> examine(List<SlurmJob> jobs, long requestedAt, Instant now) {
        var byAttempt = new TreeMap<AttemptId, List<SlurmJob>>();
        for (var job : jobs) {
            files.attemptOf(job.script())
                    .filter(id -> isOwn(id, job))
                    .ifPresent(
                            id -> byAttempt.computeIfAbsent(id, _ -> new ArrayList<>()).add(job));
        }
        for (var one : List.copyOf(watched.values())) {
            var listed = byAttempt.getOrDefault(one.id(), List.of());
            one.list(listed, requestedAt, now);
            examine(one, now);
        }
        reportWaits();
        return cancels(byAttempt, now);
    }

    /** Any user can submit a job and state any script as its own. */
    private boolean isOwn(AttemptId id, SlurmJob job) {
        var one = watched.get(id);
        return one == null || one.owner().isEmpty() || one.owner().getAsInt() == job.uid();
    }

    /** Jobs of attempts that are over, that are to be stopped, or that started in another job. */
    private List<SlurmOrder.Cancel> cancels(Map<AttemptId, List<SlurmJob>> byAttempt, Instant now) {
        var cancels = new ArrayList<SlurmOrder.Cancel>();
        byAttempt.forEach(
                (id, jobs) -> {
                    var one = watched.get(id);
                    for (var job : jobs) {
                        boolean isUnneeded =
                                one == null ? isLeft(id, job, now) : one.isUnneeded(job);
                        if (job.isLive() && isUnneeded) {
                            cancels.add(
                                    new SlurmOrder.Cancel(id, job.id(), jobName(id), job.uid()));
                        }
                    }
                });
        leftSince.keySet().retainAll(byAttempt.keySet());
        return cancels;
    }

    /** A job that ends by itself after its attempt gets some time for that. */
    private boolean isLeft(AttemptId id, SlurmJob job, Instant now) {
        var since = leftSince.computeIfAbsent(id, _ -> now);
        return job.state() == SlurmJob.State.WAITING
                || !now.isBefore(since.plus(WatchedAttempt.SETTLE_TIME));
    }

    private void reportWaits() {
        var waits = new TreeMap<AttemptId, ClusterWait>();
        for (var one : watched.values()) {
            if (one.start().isEmpty()) {
                waits.put(one.id(), one.status());
            }
        }
        if (!waits.equals(lastWaits)) {
            lastWaits = waits;
            facts.accept(new Fact.ClusterWaits(waits));
        }
    }

    private void examine(WatchedAttempt one, Instant now) {
        FileState state;
        try {
            state = files.read(one.id());
        } catch (IOException failure) {
            if (one.lose()) {
                facts.accept(new Fact.Lost(one.id(), ErrorSentence.LOST_FILES.text(failure)));
            }
            return;
        }
        switch (state) {
            case FileState.Exited(int code, var start) -> {
                start.ifPresent(found -> place(one, found));
                exited(one, code, now);
            }
            case FileState.NotBegun(String step) -> {
                log.warn("task={} could not begin: {}", one.id().task(), step);
                end(one, new Ending.NeverStarted());
            }
            case FileState.Prevented _ -> end(one, new Ending.NeverStarted());
            case FileState.Starting _ -> {
                if (one.isStartOverdue(now)) {
                    end(one, new Ending.Vanished(ErrorSentence.SLURM_SHIM.text()));
                }
            }
            case FileState.Started start -> {
                place(one, start);
                started.examine(one, start, now);
            }
            case FileState.NotStarted _ -> waiting(one, now);
        }
    }

    private void place(WatchedAttempt one, FileState.Started start) {
        if (one.place(start)) {
            var place = start.place();
            facts.accept(
                    new Fact.Placed(
                            one.id(),
                            place.host(),
                            gpuNames.gpus(place.host(), place.gpus()),
                            start.process()));
        }
    }

    /**
     * SIGTERM that neither Berth nor a person sent is Slurm's own doing after a restart of its
     * controller: the task is run again.
     */
    private void exited(WatchedAttempt one, int code, Instant now) {
        if (one.awaitsJobEnd(code, now)) {
            return;
        }
        if (!one.isTerminated(code)) {
            end(one, new Ending.Exited(code));
            return;
        }
        if (one.isHostFailed()) {
            end(one, StartedAttempts.interrupted());
            return;
        }
        one.awaitControllerStart(controllerStart, now);
        one.isInterrupted()
                .ifPresent(
                        isInterrupted ->
                                end(
                                        one,
                                        isInterrupted
                                                ? StartedAttempts.interrupted()
                                                : new Ending.Exited(code)));
    }

    /** The file {@code go} is absent. */
    private void waiting(WatchedAttempt one, Instant now) {
        switch (one.unstarted()) {
            case WAITS -> {}
            case SUBMIT_AGAIN -> one.submitAgain();
            case FORGOTTEN -> {
                one.host().ifPresent(host -> gpuNames.notStartedOn(host, one.id().task()));
                endUnstarted(one, new Ending.NeverStarted());
            }
            case CANCELLED -> {
                one.awaitControllerStart(controllerStart, now);
                one.isInterrupted().ifPresent(isInterrupted -> cancelled(one, isInterrupted));
            }
        }
    }

    private void cancelled(WatchedAttempt one, boolean isInterrupted) {
        endUnstarted(
                one,
                isInterrupted
                        ? new Ending.NeverStarted()
                        : new Ending.LaunchFailed(ErrorSentence.SLURM_CANCELLED.text()));
    }

    /** Ends it if it can be prevented from starting. */
    private boolean endUnstarted(WatchedAttempt one, Ending ending) {
        try {
            if (!files.preventStart(one.id())) {
                return false;
            }
        } catch (IOException failure) {
            log.warn(
                    "task={} cannot be prevented from starting: {}",
                    one.id().task(),
                    failure.toString());
            return false;
        }
        end(one, ending);
        return true;
    }

    private void end(WatchedAttempt one, Ending ending) {
        watched.remove(one.id());
        if (one.isOutOfMemory()) {
            recordMemoryShortage(one.id());
        }
        var findings =
                one.isStopRequested() ? AttemptFindings.NONE : files.findings(one.id(), ending);
        facts.accept(
                new Fact.Ended(
                        one.id(),
                        ending,
                        List.of(),
                        true,
                        findings,
                        one.reportKey().flatMap(gpuNames::report)));
    }

    private void recordMemoryShortage(AttemptId id) {
        try {
            files.recordMemoryShortage(id);
        } catch (IOException failure) {
            log.warn("task={} gets no more memory: {}", id.task(), failure.toString());
        }
    }

    boolean isWatched(AttemptId id) {
        return watched.containsKey(id);
    }

    /** Whether a mark keeps others off a GPU: its attempt is there, or is about to start. */
    boolean isHeld(GpuMark mark, Instant now) {
        var one = watched.get(mark.attempt());
        if (one == null || (one.owner().isPresent() && one.owner().getAsInt() != mark.uid())) {
            return false;
        }
        return one.start()
                .map(start -> start.place().marks().contains(mark.gpu()))
                .orElse(one.isLost() || now.isBefore(mark.at().plus(GpuMark.START_TIME)));
    }
}
