package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.ClusterWait;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.port.Node;
import dev.berth.slurm.AttemptFiles.FileState;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What is known about one attempt that was handed over. */
final class WatchedAttempt {

    /** Time for an exit record to become visible after Slurm says that a job is over. */
    static final Duration SETTLE_TIME = Duration.ofSeconds(5);

    /** Time between the creation of {@code go} and its content. */
    private static final Duration START_TIME = Duration.ofSeconds(30);

    /**
     * For some time after its start the controller ends jobs whose ids it gave twice, also jobs
     * that were submitted later.
     */
    private static final Duration CONFUSED_TIME = Duration.ofMinutes(2);

    private static final Duration MAX_EXPECTED_WAIT = Duration.ofDays(180);

    private static final int TERMINATED = 143;
    private static final int KILLED = 137;
    private static final String OUT_OF_MEMORY = "OUT_OF_MEMORY";

    /** What Slurm says about an attempt that has started. */
    enum View {
        /** Slurm was not asked, or did not answer. */
        UNKNOWN,
        ACTIVE,
        /** It may be over; its exit record may still become visible. */
        SETTLING,
        OVER,
        HOST_FAILED,
        /** Slurm has no job for it. */
        UNLISTED
    }

    /** What becomes of an attempt that has not started. */
    enum Unstarted {
        WAITS,
        /**
         * Nobody knows whether Slurm got it. A second job of the same script cannot start it again.
         */
        SUBMIT_AGAIN,
        /** Slurm has lost it, or its job ended before the start. */
        FORGOTTEN,
        /** A person cancelled its job. */
        CANCELLED
    }

    private enum Submission {
        DUE,
        IN_PROGRESS,
        UNANSWERED,
        ACKNOWLEDGED
    }

    private final AttemptId id;
    private final Optional<String> reportKey;
    private OptionalInt owner = OptionalInt.empty();
    private Optional<Node.Launch> launch = Optional.empty();

    /** An attempt of an earlier server was submitted, or its end is decided by its file. */
    private Submission submission = Submission.ACKNOWLEDGED;

    private long acknowledgement;
    private String trouble = "";
    private Optional<Duration> timeLimit = Optional.empty();
    private boolean isTimeUpReported;
    private Optional<FileState.Started> start = Optional.empty();
    private boolean isLost;
    private Optional<Instant> stopRequestedAt = Optional.empty();
    private boolean isListRead;
    private boolean isListCurrent;
    private Instant listedAt = Instant.EPOCH;
    private List<SlurmJob> jobs = List.of();
    private Optional<Instant> overSince = Optional.empty();
    private Optional<Instant> goneSince = Optional.empty();
    private Optional<Instant> killedSince = Optional.empty();
    private Optional<Instant> startingSince = Optional.empty();
    private Optional<Instant> controllerAwaitedSince = Optional.empty();
    private Optional<Instant> controllerStart = Optional.empty();

    WatchedAttempt(AttemptId id, Optional<String> reportKey) {
        this.id = id;
        this.reportKey = reportKey;
    }

    AttemptId id() {
        return id;
    }

    /** The uid of its job; empty if all jobs belong to the user of the server. */
    OptionalInt owner() {
        return owner;
    }

    void setOwner(OptionalInt uid) {
        owner = uid;
    }

    Optional<String> reportKey() {
        return reportKey;
    }

    Optional<FileState.Started> start() {
        return start;
    }

    void setTimeLimit(Optional<Duration> limit) {
        timeLimit = limit;
    }

    void submit(Node.Launch order) {
        launch = Optional.of(order);
        submission = Submission.DUE;
    }

    Optional<Node.Launch> takeSubmit() {
        if (submission != Submission.DUE) {
            return Optional.empty();
        }
        submission = Submission.IN_PROGRESS;
        return launch;
    }

    void submitAgain() {
        submission = Submission.DUE;
    }

    void acknowledged(long number) {
        submission = Submission.ACKNOWLEDGED;
        acknowledgement = number;
        trouble = "";
        isListCurrent = false;
    }

    void unanswered(String why) {
        submission = Submission.UNANSWERED;
        trouble = why;
        isListCurrent = false;
    }

    void requestStop(Instant at) {
        if (stopRequestedAt.isEmpty()) {
            stopRequestedAt = Optional.of(at);
        }
    }

    boolean isStopRequested() {
        return stopRequestedAt.isPresent();
    }

    /**
     * @param requestedAt the last acknowledgement before the list was requested
     */
    void list(List<SlurmJob> listed, long requestedAt, Instant now) {
        jobs = listed;
        listedAt = now;
        isListRead = true;
        isListCurrent =
                (submission == Submission.ACKNOWLEDGED && acknowledgement <= requestedAt)
                        || submission == Submission.UNANSWERED;
        boolean isActive = job().filter(SlurmJob::isLive).isPresent();
        overSince = isActive ? Optional.empty() : overSince.or(() -> Optional.of(now));
    }

    /**
     * The job that started it. Another job of its script says nothing about its process: Slurm may
     * have forgotten the one that started it. Before the start: one that may start it, else any.
     */
    private Optional<SlurmJob> job() {
        if (start.isPresent()) {
            var id = start.get().place().job();
            return jobs.stream().filter(job -> job.id().equals(id)).findFirst();
        }
        return jobs.stream()
                .filter(SlurmJob::isLive)
                .findFirst()
                .or(() -> jobs.stream().findFirst());
    }

    /** A job that cannot start it, or that is to be stopped. */
    boolean isUnneeded(SlurmJob job) {
        if (stopRequestedAt.isPresent()) {
            return true;
        }
        return start.filter(one -> !one.place().job().equals(job.id())).isPresent()
                && job.state() == SlurmJob.State.WAITING;
    }

    /** Slurm expects the start of a job behind one without a time limit in a year. */
    private ClusterWait withoutFarStart(ClusterWait wait) {
        boolean isFar =
                wait.expectedStart()
                        .filter(start -> start.isAfter(listedAt.plus(MAX_EXPECTED_WAIT)))
                        .isPresent();
        return isFar ? new ClusterWait(wait.code(), wait.reason(), Optional.empty()) : wait;
    }

    ClusterWait status() {
        if (submission == Submission.UNANSWERED) {
            return new ClusterWait("unreachable", trouble, Optional.empty());
        }
        return job().filter(SlurmJob::isLive)
                .map(WaitCodes::of)
                .map(this::withoutFarStart)
                .orElse(ClusterWait.UNKNOWN);
    }

    Unstarted unstarted() {
        if (!isListCurrent) {
            return Unstarted.WAITS;
        }
        var found = job();
        if (found.isEmpty()) {
            boolean mayRetry = submission == Submission.UNANSWERED && launch.isPresent();
            return mayRetry ? Unstarted.SUBMIT_AGAIN : Unstarted.FORGOTTEN;
        }
        return switch (found.get().state()) {
            case WAITING, ACTIVE -> Unstarted.WAITS;
            case OVER, HOST_FAILED -> Unstarted.FORGOTTEN;
            case CANCELLED -> Unstarted.CANCELLED;
        };
    }

    /** The host of its job, if Slurm has chosen one. */
    Optional<String> host() {
        return job().map(SlurmJob::host).filter(host -> !host.isEmpty());
    }

    /** True for the first sight of its start. */
    boolean place(FileState.Started found) {
        boolean isNew = start.isEmpty();
        start = Optional.of(found);
        return isNew;
    }

    boolean isTimeUp(Instant now) {
        if (isTimeUpReported || isStopRequested() || timeLimit.isEmpty() || start.isEmpty()) {
            return false;
        }
        isTimeUpReported = !now.isBefore(start.get().process().startedAt().plus(timeLimit.get()));
        return isTimeUpReported;
    }

    boolean isStartOverdue(Instant now) {
        startingSince = startingSince.or(() -> Optional.of(now));
        return !now.isBefore(startingSince.get().plus(START_TIME));
    }

    View view(Instant now) {
        if (!isListRead) {
            return View.UNKNOWN;
        }
        if (overSince.isEmpty()) {
            return View.ACTIVE;
        }
        if (now.isBefore(overSince.get().plus(SETTLE_TIME))) {
            return View.SETTLING;
        }
        var found = job();
        if (found.isEmpty()) {
            return View.UNLISTED;
        }
        return found.get().state() == SlurmJob.State.HOST_FAILED ? View.HOST_FAILED : View.OVER;
    }

    /** True if it was not lost before. */
    boolean lose() {
        boolean isNew = !isLost;
        isLost = true;
        return isNew;
    }

    boolean isLost() {
        return isLost;
    }

    /** True if it was lost. */
    boolean find() {
        boolean wasLost = isLost;
        isLost = false;
        return wasLost;
    }

    /**
     * Its process was found to be gone.
     *
     * @return whether it is gone long enough for its exit record to be visible
     */
    boolean isGone(Instant now) {
        goneSince = goneSince.or(() -> Optional.of(now));
        return !now.isBefore(goneSince.get().plus(SETTLE_TIME));
    }

    /** Its process was found to be alive. */
    void setAlive() {
        goneSince = Optional.empty();
    }

    /** Slurm took its host for down: it ends such a job when the host answers again. */
    boolean isHostFailed() {
        return job().filter(job -> job.state() == SlurmJob.State.HOST_FAILED).isPresent();
    }

    /** SIGTERM ended it, and Berth did not send it. */
    boolean isTerminated(int code) {
        return code == TERMINATED && !isStopRequested();
    }

    /** Slurm says only after the end of a job whether a process was killed for lack of memory. */
    boolean awaitsJobEnd(int code, Instant now) {
        if (code != KILLED || isStopRequested() || job().filter(SlurmJob::isLive).isEmpty()) {
            return false;
        }
        killedSince = killedSince.or(() -> Optional.of(now));
        return now.isBefore(killedSince.get().plus(SETTLE_TIME));
    }

    boolean isOutOfMemory() {
        return !isStopRequested()
                && start.isPresent()
                && job().filter(job -> job.stateName().equals(OUT_OF_MEMORY)).isPresent();
    }

    boolean awaitsControllerStart() {
        return controllerAwaitedSince.isPresent() && controllerStart.isEmpty();
    }

    /** Takes the first value that is read after this was asked. */
    void awaitControllerStart(Optional<Instant> known, Instant now) {
        if (controllerAwaitedSince.isEmpty()) {
            controllerAwaitedSince = Optional.of(now);
        } else if (controllerAwaitedSince.get().isBefore(now)) {
            controllerStart = controllerStart.or(() -> known);
        }
    }

    /**
     * Whether the controller was restarted since it started or was handed over, or shortly before;
     * empty until that is known. When an attempt of an earlier server was handed over is not known:
     * it is run again.
     */
    Optional<Boolean> isInterrupted() {
        var since =
                start.map(one -> one.process().startedAt())
                        .or(() -> launch.map(order -> order.attempt().scheduledAt()));
        return controllerStart.map(
                at -> since.isEmpty() || at.plus(CONFUSED_TIME).isAfter(since.get()));
    }

    /** The end of an attempt that left no exit record. */
    Ending vanished() {
        var state = job().map(SlurmJob::stateName).orElse("");
        return switch (state) {
            case "TIMEOUT" -> new Ending.Vanished(ErrorSentence.SLURM_TIME_LIMIT.text());
            case OUT_OF_MEMORY -> new Ending.Vanished(ErrorSentence.SLURM_MEMORY.text());
            case "PREEMPTED" -> new Ending.Interrupted(ErrorSentence.SLURM_PREEMPTED.text());
            case "" -> new Ending.Vanished(ErrorSentence.SLURM_FORGOTTEN.text());
            default -> new Ending.Vanished(ErrorSentence.SLURM_STATE.text(state));
        };
    }
}
