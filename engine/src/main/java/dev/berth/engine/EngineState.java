package dev.berth.engine;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.collect.KeyCounts;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.forecast.RunningTask;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.plan.HeldClaim;
import dev.berth.core.predict.Learned;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.queue.WaitingTasksBuilder;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskFootprint;
import dev.berth.core.task.TaskState;
import dev.berth.port.Change;
import dev.berth.port.SchedulerState;
import dev.berth.port.SubmitKey;
import dev.berth.port.SubmitKeyUse;
import dev.berth.port.TaskStore;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state of the engine: all unfinished tasks and what they claim. Finished tasks are only in the
 * store.
 *
 * @param durable other durable data
 * @param drafts number of drafts by principal; derived from {@code tasks}
 * @param waiting the queued tasks by queue; derived from {@code tasks}
 * @param holds claims of live attempts, by GPU, without those of workers; derived from {@code
 *     attempts}
 * @param sinceStart data that a restart may forget
 * @param taskBytes the estimated memory of {@code tasks}
 */
public record EngineState(
        PersistentMap<TaskId, Task> tasks,
        PersistentMap<AttemptId, Attempt> attempts,
        PersistentMap<GpuId, GpuState> gpus,
        DurableData durable,
        WaitingTasks waiting,
        KeyCounts drafts,
        PersistentMap<GpuId, List<HeldClaim>> holds,
        LastIds lastIds,
        TransientData sinceStart,
        long taskBytes) {

    public PersistentMap<SubmitKey, SubmitKeyUse> keys() {
        return durable.keys();
    }

    public PersistentMap<TokenId, Token> tokens() {
        return durable.tokens();
    }

    /** The highest ids assigned so far, and the creation time of the newest task. */
    public record LastIds(long task, Instant createdAt, long seq, long run, long reservation) {}

    /**
     * The state of a newly opened store; {@code highestFolder} keeps ids above any folder left on
     * disk.
     */
    public static EngineState of(TaskStore.Loaded loaded, QueueOrder order, long highestFolder) {
        var state = empty(loaded.last(), order, highestFolder);
        for (var card : loaded.gpus()) {
            state = state.apply(new Change.GpuSaved(card));
        }
        state = state.withLoaded(loaded.tasks());
        var awaited = state.sinceStart().unrecovered();
        for (var attempt : loaded.attempts()) {
            state = state.apply(new Change.AttemptSaved(attempt));
            // Nothing but the end of its worker is known of a call.
            awaited = attempt.isCall() ? awaited : awaited.with(attempt.id(), attempt);
        }
        for (var key : loaded.keys().entrySet()) {
            state = state.apply(new Change.KeySaved(key.getKey(), key.getValue()));
        }
        for (var token : loaded.tokens()) {
            state = state.apply(new Change.TokenSaved(token));
        }
        for (var account : loaded.usage().entrySet()) {
            state = state.apply(new Change.UsageSaved(account.getKey(), account.getValue()));
        }
        for (var entry : loaded.shares().groups().entrySet()) {
            state = state.apply(new Change.GroupsSaved(entry.getKey(), entry.getValue()));
        }
        for (var reservation : loaded.shares().reservations()) {
            state = state.apply(new Change.ReservationSaved(reservation));
        }
        for (var run : loaded.fileRuns()) {
            state = state.apply(new Change.FileRunSaved(run));
        }
        for (var fault : loaded.faults()) {
            state = state.apply(new Change.FaultSaved(fault));
        }
        for (var estimate : loaded.models().estimates().entrySet()) {
            state = state.apply(new Change.EstimateSaved(estimate.getKey(), estimate.getValue()));
        }
        for (var model : loaded.models().added()) {
            state = state.apply(new Change.ModelSaved(model));
        }
        state = state.apply(new Change.SchedulerSaved(loaded.scheduler()));
        return state.with(
                TransientData.EMPTY
                        .withUnrecovered(awaited)
                        .with(WorkerRecovery.workers(loaded.attempts(), state)));
    }

    /**
     * The same as applying each of them. Most wait in queues, perhaps a hundred thousand, and these
     * are added at once; the others refer to a lane, an attempt or a delay.
     *
     * @param loaded by id
     */
    private EngineState withLoaded(List<Task> loaded) {
        var builder = new WaitingTasksBuilder(waiting.order());
        var queued = new ArrayList<Task>();
        var others = new ArrayList<Task>();
        long bytes = taskBytes;
        for (var task : loaded) {
            if (task.state() instanceof TaskState.Queued && WaitingTasksBuilder.takes(task)) {
                var shared = builder.add(task.stored());
                queued.add(shared);
                bytes += bytes(shared);
            } else {
                others.add(task);
            }
        }
        var state =
                new EngineState(
                        PersistentMap.ofSorted(queued, Task::id),
                        attempts,
                        gpus,
                        durable,
                        builder.build(),
                        drafts,
                        holds,
                        queued.isEmpty() ? lastIds : reached(queued.getLast()),
                        sinceStart,
                        bytes);
        for (var task : others) {
            state = state.apply(new Change.TaskSaved(task));
        }
        return state;
    }

    private static EngineState empty(
            TaskStore.LastUsed last, QueueOrder order, long highestFolder) {
        var marks =
                new LastIds(
                        Math.max(last.task().map(TaskId::value).orElse(0L), highestFolder),
                        last.createdAt().orElse(Instant.EPOCH),
                        last.eventSeq(),
                        last.fileRun(),
                        last.reservation());
        return new EngineState(
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                DurableData.EMPTY,
                WaitingTasks.none(order),
                KeyCounts.EMPTY,
                PersistentMap.empty(),
                marks,
                TransientData.EMPTY,
                0);
    }

    /** The only way durable state changes, at run time and on loading. */
    public EngineState apply(Change change) {
        return switch (change) {
            case Change.TaskSaved(Task task) -> saved(task.stored());
            case Change.AttemptSaved(Attempt attempt) -> saved(attempt);
            // Only ended tasks are removed, and those are not in memory.
            case Change.TaskRemoved _ -> this;
            case Change.GpuSaved(Gpu card) -> with(new GpuState.Unknown(card, "not read yet"));
            case Change.KeySaved(SubmitKey key, SubmitKeyUse use) ->
                    with(durable.withKeys(keys().with(key, use)));
            case Change.KeyDropped(SubmitKey key) -> with(durable.withKeys(keys().without(key)));
            case Change.TokenSaved(Token token) ->
                    with(durable.withTokens(tokens().with(token.id(), token)));
            case Change.TokenDropped(TokenId token) ->
                    with(durable.withTokens(tokens().without(token)));
            case Change.UsageSaved(String principal, GpuUsage.Account account) ->
                    with(durable.with(durable.usage().with(principal, account)));
            case Change.GroupsSaved(String principal, var groups) -> {
                var all = durable.groups().with(principal, groups);
                yield with(durable.with(all)).with(waiting.with(all));
            }
            case Change.ReservationSaved(Reservation one) -> saved(one);
            case Change.ReservationEnded(long id, _) ->
                    with(durable.withReservations(durable.reservations().without(id)));
            case Change.SchedulerSaved(SchedulerState scheduler) -> with(durable.with(scheduler));
            case Change.EventAdded(var event) ->
                    with(
                            new LastIds(
                                    lastIds.task,
                                    lastIds.createdAt,
                                    event.seq(),
                                    lastIds.run,
                                    lastIds.reservation));
            case Change.FileRunSaved(FileRun run) -> saved(run);
            case Change.FaultSaved(GpuFault fault) ->
                    with(durable.withFaults(durable.faults().with(fault.gpu(), fault)));
            case Change.FaultDropped(GpuId card) ->
                    with(durable.withFaults(durable.faults().without(card)));
            case Change.EstimateSaved(String model, long mib) ->
                    with(durable.withEstimate(model, mib));
            case Change.ModelSaved(Model model) ->
                    with(durable.withModels(durable.models().with(model.name(), model)));
            case Change.ModelRemoved(String name) ->
                    with(durable.withModels(durable.models().without(name)));
            case Change.ResultSaved _ -> this;
            case Change.RunsForgotten(long fingerprint, Instant at) ->
                    with(sinceStart.learned().forget(fingerprint, at));
        };
    }

    private EngineState saved(FileRun run) {
        var reached =
                new LastIds(
                        lastIds.task,
                        lastIds.createdAt,
                        lastIds.seq,
                        Math.max(lastIds.run, run.id()),
                        lastIds.reservation);
        return with(durable.with(run)).with(reached);
    }

    private EngineState saved(Reservation reservation) {
        var reached =
                new LastIds(
                        lastIds.task,
                        lastIds.createdAt,
                        lastIds.seq,
                        lastIds.run,
                        Math.max(lastIds.reservation, reservation.id()));
        var all = durable.reservations().with(reservation.id(), reservation);
        return with(durable.withReservations(all)).with(reached);
    }

    /** Tasks whose backoff is over may start; others become overdue. */
    EngineState withBackoffsEnded(Instant now) {
        return with(waiting.at(now));
    }

    /** With other weights of users and groups. */
    EngineState with(UserWeights weights) {
        return with(waiting.with(weights));
    }

    private EngineState with(WaitingTasks other) {
        return new EngineState(
                tasks,
                attempts,
                gpus,
                durable,
                other,
                drafts,
                holds,
                lastIds,
                sinceStart,
                taskBytes);
    }

    private EngineState saved(Task saved) {
        var before = tasks.get(saved.id());
        var task = before.isPresent() ? saved : shared(saved);
        var line = before.map(waiting::without).orElse(waiting);
        var after =
                switch (task.state()) {
                    case TaskState.Queued _ -> line.with(task);
                    case TaskState.Handed _, TaskState.Running _ -> line.withRunning(task);
                    case TaskState.Pending _,
                            TaskState.Completed _,
                            TaskState.Failed _,
                            TaskState.Cancelled _ ->
                            line;
                };
        var kept = task.state().isFinal() ? tasks.without(task.id()) : tasks.with(task.id(), task);
        return new EngineState(
                kept,
                attempts,
                gpus,
                durable,
                after,
                drafts(before, task),
                holds,
                reached(task),
                sinceStart,
                taskBytes - before.map(EngineState::bytes).orElse(0L) + bytes(task));
    }

    private LastIds reached(Task task) {
        // Of the newest task: a wrong clock may have given an earlier one a later time.
        var created = task.id().value() > lastIds.task ? task.createdAt() : lastIds.createdAt;
        return new LastIds(
                Math.max(lastIds.task, task.id().value()),
                created,
                lastIds.seq,
                lastIds.run,
                lastIds.reservation);
    }

    private static long bytes(Task task) {
        return task.state().isFinal() ? 0 : TaskFootprint.of(task.spec());
    }

    /** A new task shares its equal parts with a task that waits already. */
    private Task shared(Task task) {
        return waiting.similarTo(task).map(task::sharing).orElse(task);
    }

    private KeyCounts drafts(Optional<Task> before, Task task) {
        var principal = task.owner().principal();
        boolean was = before.filter(one -> one.state() instanceof TaskState.Pending).isPresent();
        boolean is = task.state() instanceof TaskState.Pending;
        return was == is ? drafts : is ? drafts.plus(principal) : drafts.minus(principal);
    }

    private EngineState saved(Attempt attempt) {
        var kept =
                attempt.isLive()
                        ? attempts.with(attempt.id(), attempt)
                        : attempts.without(attempt.id());
        var held = holds;
        for (var claim : attempt.claims()) {
            var there = new ArrayList<>(held.get(claim.gpu()).orElse(List.of()));
            there.removeIf(hold -> hold.attempt().equals(attempt.id()));
            if (attempt.isLive() && !attempt.isWorker()) {
                there.add(
                        new HeldClaim(attempt.id(), claim, HeldClaim.Contact.of(attempt.phase())));
            }
            held =
                    there.isEmpty()
                            ? held.without(claim.gpu())
                            : held.with(claim.gpu(), List.copyOf(there));
        }
        return new EngineState(
                tasks, kept, gpus, durable, waiting, drafts, held, lastIds, sinceStart, taskBytes);
    }

    public EngineState with(GpuState card) {
        var others = gpus.with(card.gpu().id(), card);
        return new EngineState(
                tasks,
                attempts,
                others,
                durable,
                waiting,
                drafts,
                holds,
                lastIds,
                sinceStart,
                taskBytes);
    }

    public EngineState with(TransientData other) {
        return new EngineState(
                tasks, attempts, gpus, durable, waiting, drafts, holds, lastIds, other, taskBytes);
    }

    /** With other knowledge of earlier runs, on which the order of the queue may depend. */
    EngineState with(Learned learned) {
        return new EngineState(
                tasks,
                attempts,
                gpus,
                durable,
                waiting.with(learned),
                drafts,
                holds,
                lastIds,
                sinceStart.with(learned),
                taskBytes);
    }

    private EngineState with(LastIds other) {
        return new EngineState(
                tasks,
                attempts,
                gpus,
                durable,
                waiting,
                drafts,
                holds,
                other,
                sinceStart,
                taskBytes);
    }

    private EngineState with(DurableData other) {
        return new EngineState(
                tasks,
                attempts,
                gpus,
                other,
                waiting,
                drafts,
                holds,
                lastIds,
                sinceStart,
                taskBytes);
    }

    /** The GPUs as a scheduling pass sees them: one with a fault counts as failed. */
    public PersistentMap<GpuId, GpuState> schedulableGpus() {
        var all = gpus;
        for (var fault : durable.faults()) {
            var known = gpus.get(fault.getKey());
            if (known.isPresent()) {
                all = all.with(fault.getKey(), outOfUse(known.get(), fault.getValue()));
            }
        }
        return all;
    }

    private static GpuState outOfUse(GpuState known, GpuFault fault) {
        return fault.kind() == GpuFault.Kind.PERSON
                ? new GpuState.Quarantined(known.gpu(), fault.reason(), known.currentReading())
                : new GpuState.Failed(known.gpu(), fault.reason());
    }

    /** An index may have belonged to another GPU before: a readable GPU is preferred. */
    public Optional<GpuState> gpuAt(int index) {
        return gpus.values()
                .filter(one -> one.gpu().index() == index)
                .min(Comparator.comparing(one -> !one.isReadable()));
    }

    /** The GPU indices of an attempt, separated by commas. */
    List<Integer> gpuIndices(Attempt attempt) {
        return attempt.claims().stream()
                .map(claim -> gpus.get(claim.gpu()).orElseThrow().gpu().index())
                .sorted()
                .toList();
    }

    /** The running tasks, without workers. */
    public List<RunningTask> runningTasks() {
        var running = new ArrayList<RunningTask>();
        for (var attempt : attempts.values().filter(one -> !one.isWorker()).toList()) {
            tasks.get(attempt.id().task())
                    .ifPresent(task -> running.add(new RunningTask(task, attempt)));
        }
        return running;
    }

    /** The number of running tasks, without workers. */
    public int running() {
        return tasks.size()
                - waiting.size()
                - drafts.total()
                - handed()
                - sinceStart.workers().workers().size();
    }

    /** The number of tasks that wait in a cluster. */
    public int handed() {
        return (int) attempts.values().filter(one -> one.phase() instanceof Phase.Handed).count();
    }

    /** The highest token id assigned so far; 0 if there is none. */
    TokenId lastToken() {
        return tokens().last().map(Map.Entry::getKey).orElse(new TokenId(0));
    }
}
