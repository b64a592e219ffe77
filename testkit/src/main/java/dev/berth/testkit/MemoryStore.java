package dev.berth.testkit;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Script;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.SchedulerState;
import dev.berth.port.StoreFailure;
import dev.berth.port.SubmitKey;
import dev.berth.port.SubmitKeyUse;
import dev.berth.port.TaskStore;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.read.AuditFilter;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.GpuRun;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.UserUsage;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A store in memory. The next {@link #open} returns what was committed, so a test can simulate a
 * crash and a restart of the server.
 */
public final class MemoryStore implements TaskStore, TaskQueries, EndedTasks {

    private static final Comparator<Position> AFTER =
            Comparator.comparing(Position::endedAt).thenComparing(Position::id);

    private final AtomicReference<Committed> committed;
    private long epoch;
    private int failures;
    private int scriptFailures;
    private StoreFailure.Kind failureKind = StoreFailure.Kind.UNAVAILABLE;

    public MemoryStore() {
        this(new AtomicReference<>(new Committed()));
    }

    private MemoryStore(AtomicReference<Committed> committed) {
        this.committed = committed;
    }

    /** The store of another server with the same home. */
    public MemoryStore forAnotherServer() {
        return new MemoryStore(committed);
    }

    /** Makes the next {@code count} commits fail without storing anything. */
    public void failNextCommits(int count, StoreFailure.Kind kind) {
        failures = count;
        failureKind = kind;
    }

    /** Makes the next {@code count} reads of a script fail. */
    public void failNextScripts(int count) {
        scriptFailures = count;
    }

    /** All data as committed at one time. */
    public static final class Copy {
        private final Committed data;

        private Copy(Committed data) {
            this.data = data;
        }
    }

    public Copy copy() {
        return new Copy(committed.get());
    }

    /** Loses what was committed since the copy was made, or everything. */
    public void loseState(Optional<Copy> older) {
        committed.set(older.map(copy -> copy.data).orElseGet(Committed::new));
    }

    /** Stores what {@code berth recover} has decided, while no server runs. */
    public void recover(List<Change> changes, long lastTask) {
        var after = committed.get().with(changes);
        if (lastTask > 0) {
            after.lastTask = Committed.later(after.lastTask, new TaskId(lastTask));
        }
        committed.set(after);
    }

    @Override
    public Loaded open() {
        var now = committed.updateAndGet(Committed::withNextEpoch);
        epoch = now.epoch;
        return now.loaded();
    }

    /** The same as {@link #open}, but does not fence the current writer. */
    public Loaded peek() {
        return committed.get().loaded();
    }

    @Override
    public void commit(List<Change> changes) throws StoreFailure {
        if (epoch == 0) {
            throw new IllegalStateException("commit before open");
        }
        if (failures > 0) {
            failures--;
            throw new StoreFailure(failureKind, "told to fail");
        }
        Committed before;
        Committed after;
        do {
            before = committed.get();
            if (before.epoch != epoch) {
                throw new StoreFailure(
                        StoreFailure.Kind.FENCED,
                        "opened with epoch " + epoch + ", now at " + before.epoch);
            }
            after = before.with(changes);
        } while (!committed.compareAndSet(before, after));
    }

    @Override
    public Optional<Script.Text> script(TaskId task) throws StoreFailure {
        if (scriptFailures > 0) {
            scriptFailures--;
            throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "told to fail");
        }
        return committed.get().scripts.get(task);
    }

    @Override
    public SortedMap<TaskId, Script.Text> scripts(TaskId first, TaskId end) {
        var scripts = new TreeMap<TaskId, Script.Text>();
        committed.get().scripts.forEach(one -> scripts.put(one.getKey(), one.getValue()));
        return scripts.subMap(first, end);
    }

    @Override
    public Optional<TaskRecord> find(TaskId id) {
        var now = committed.get();
        return now.tasks
                .get(id)
                .map(now::taskRecord)
                .map(one -> one.with(now.scripts.get(id).orElseThrow()));
    }

    @Override
    public List<TaskRecord> list(Filter filter, Page page) {
        var now = committed.get();
        return TaskListing.of(now.tasks.values().toList(), filter, page)
                .map(now::taskRecord)
                .toList();
    }

    @Override
    public List<TaskId> ids(Filter filter, Page page) {
        return list(filter, page).stream().map(record -> record.task().id()).toList();
    }

    @Override
    public List<TaskRecord> list(Filter filter, List<TaskId> ids) {
        var now = committed.get();
        return ids.stream()
                .flatMap(id -> now.tasks.get(id).stream())
                .filter(task -> TaskListing.matches(task, filter))
                .map(now::taskRecord)
                .toList();
    }

    @Override
    public long epoch() {
        return committed.get().epoch;
    }

    @Override
    public long countFollowing(Filter filter, TaskOrder order, TaskId last) {
        var rest =
                new Page(
                        OptionalInt.empty(),
                        Optional.empty(),
                        OptionalLong.of(last.value()),
                        order);
        return ids(filter, rest).size();
    }

    @Override
    public long count(Filter filter) {
        return committed
                .get()
                .tasks
                .values()
                .filter(task -> TaskListing.matches(task, filter))
                .count();
    }

    @Override
    public Optional<String> result(TaskId id) {
        return committed.get().results.get(id);
    }

    @Override
    public List<FileRun> fileRuns(int limit) {
        return committed.get().runs.values().toList().reversed().stream().limit(limit).toList();
    }

    @Override
    public List<Attempt> attempts(TaskId id) {
        return committed.get().attemptsOf(id).values().toList();
    }

    @Override
    public List<Event> eventsAfter(long seq, int limit) {
        return committed
                .get()
                .events
                .values()
                .filter(event -> event.seq() > seq)
                .limit(limit)
                .toList();
    }

    @Override
    public List<UserUsage> usage(Instant from, Instant to) {
        var now = committed.get();
        var usage = new MemoryUsage(from, to);
        now.tasks.values().forEach(task -> usage.add(task, attempts(task.id())));
        return usage.users();
    }

    @Override
    public List<GpuRun> gpuRuns(Instant from, Instant to, int limit) {
        return committed
                .get()
                .tasks
                .values()
                .filter(task -> task.state().isFinal() && !task.spec().isWorker())
                .flatMap(task -> attempts(task.id()).stream().map(one -> new TaskRun(task, one)))
                .flatMap(run -> run.between(from, to).stream())
                .sorted(TaskRun.LAST_FIRST)
                .limit(limit)
                .map(TaskRun::endedRun)
                .toList();
    }

    @Override
    public List<Event> alerts(OptionalLong before, int limit) {
        return newest(Event::isAlert, before, limit);
    }

    @Override
    public List<Event> audit(AuditFilter filter, OptionalLong before, int limit) {
        return newest(filter::matches, before, limit);
    }

    private List<Event> newest(Predicate<Event> condition, OptionalLong before, int limit) {
        var found =
                committed
                        .get()
                        .events
                        .values()
                        .filter(condition)
                        .filter(event -> event.seq() < before.orElse(Long.MAX_VALUE))
                        .toList();
        return found.reversed().stream().limit(limit).toList();
    }

    @Override
    public Optional<Event> removal(TaskId id) {
        return committed
                .get()
                .events
                .values()
                .filter(
                        event ->
                                event.payload() instanceof TaskPayload.TasksRemoved(var tasks)
                                        && tasks.contains(id))
                .findFirst();
    }

    @Override
    public List<EndedTask> list(Selection selection, Position after, int limit) {
        return removable(selection)
                .filter(task -> AFTER.compare(task.position(), after) > 0)
                .limit(limit)
                .toList();
    }

    @Override
    public long count(Selection selection) {
        return removable(selection).count();
    }

    private Stream<EndedTask> removable(Selection selection) {
        var now = committed.get();
        return now.tasks
                .values()
                .filter(task -> selection.states().contains(task.state().apiName()))
                .filter(
                        task ->
                                selection.owner().stream().allMatch(task.owner().name()::equals)
                                        && selection.name().stream()
                                                .allMatch(name -> isLike(task, name)))
                .filter(
                        task ->
                                now.runs
                                        .values()
                                        .noneMatch(run -> !run.hasEnded() && isOf(run, task)))
                .map(task -> new EndedTask(task.id(), task.owner(), endOf(task)))
                .filter(
                        task ->
                                selection.endedBefore().stream()
                                        .allMatch(time -> task.endedAt().isBefore(time)))
                .sorted(Comparator.comparing(EndedTask::position, AFTER));
    }

    static Instant endOf(Task task) {
        return switch (task.state()) {
            case TaskState.Completed(Instant at) -> at;
            case TaskState.Failed(Instant at, String _) -> at;
            case TaskState.Cancelled(Instant at) -> at;
            case TaskState other -> throw new IllegalStateException("not final: " + other);
        };
    }

    private static boolean isOf(FileRun run, Task task) {
        return task.id().compareTo(run.firstTask()) >= 0 && task.id().compareTo(run.endTask()) < 0;
    }

    private static boolean isLike(Task task, String glob) {
        var regex = glob.replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
        return Pattern.compile("\\Q" + regex + "\\E", Pattern.DOTALL)
                .matcher(task.spec().name())
                .matches();
    }

    /** All committed data. An instance is modified only before it is published. */
    private static final class Committed {
        private long epoch;
        private PersistentMap<TaskId, Task> tasks = PersistentMap.empty();
        private PersistentMap<TaskId, Script.Text> scripts = PersistentMap.empty();
        private PersistentMap<TaskId, Task> unfinished = PersistentMap.empty();
        private PersistentMap<TaskId, PersistentMap<Integer, Attempt>> attempts =
                PersistentMap.empty();
        private PersistentMap<AttemptId, Attempt> live = PersistentMap.empty();
        private PersistentMap<GpuId, Gpu> cards = PersistentMap.empty();
        private PersistentMap<SubmitKey, SubmitKeyUse> keys = PersistentMap.empty();
        private PersistentMap<TokenId, Token> tokens = PersistentMap.empty();
        private PersistentMap<String, GpuUsage.Account> usage = PersistentMap.empty();
        private PersistentMap<String, SortedSet<String>> groups = PersistentMap.empty();
        private PersistentMap<Long, Reservation> reservations = PersistentMap.empty();
        private SchedulerState scheduler = SchedulerState.RUNNING;
        private PersistentMap<Long, FileRun> runs = PersistentMap.empty();
        private PersistentMap<GpuId, GpuFault> faults = PersistentMap.empty();
        private PersistentMap<String, Long> estimates = PersistentMap.empty();
        private PersistentMap<String, Model> models = PersistentMap.empty();
        private PersistentMap<TaskId, String> results = PersistentMap.empty();
        private PersistentMap<Long, Event> events = PersistentMap.empty();
        private Optional<TaskId> lastTask = Optional.empty();
        private Optional<Instant> lastCreatedAt = Optional.empty();
        private long lastSeq;
        private long lastReservation;

        private Committed copy() {
            var copy = new Committed();
            copy.epoch = epoch;
            copy.tasks = tasks;
            copy.scripts = scripts;
            copy.unfinished = unfinished;
            copy.attempts = attempts;
            copy.live = live;
            copy.cards = cards;
            copy.keys = keys;
            copy.tokens = tokens;
            copy.usage = usage;
            copy.groups = groups;
            copy.reservations = reservations;
            copy.lastReservation = lastReservation;
            copy.scheduler = scheduler;
            copy.runs = runs;
            copy.faults = faults;
            copy.estimates = estimates;
            copy.models = models;
            copy.results = results;
            copy.events = events;
            copy.lastTask = lastTask;
            copy.lastCreatedAt = lastCreatedAt;
            copy.lastSeq = lastSeq;
            return copy;
        }

        Committed withNextEpoch() {
            var after = copy();
            after.epoch++;
            return after;
        }

        Committed with(List<Change> changes) {
            var after = copy();
            changes.forEach(after::keep);
            after.requireConsistent();
            return after;
        }

        private void keep(Change change) {
            switch (change) {
                case Change.TaskSaved(var task) -> keep(task);
                case Change.TaskRemoved(var task) -> remove(task);
                case Change.AttemptSaved(var attempt) -> keep(attempt);
                case Change.GpuSaved(var card) -> cards = cards.with(card.id(), card);
                case Change.KeySaved(var key, var use) -> keys = keys.with(key, use);
                case Change.KeyDropped(var key) -> keys = keys.without(key);
                case Change.TokenSaved(var token) -> tokens = tokens.with(token.id(), token);
                case Change.TokenDropped(var token) -> tokens = tokens.without(token);
                case Change.UsageSaved(var principal, var account) ->
                        usage = usage.with(principal, account);
                case Change.GroupsSaved(var principal, var names) ->
                        groups = groups.with(principal, names);
                case Change.ReservationSaved(var reservation) -> {
                    reservations = reservations.with(reservation.id(), reservation);
                    lastReservation = Math.max(lastReservation, reservation.id());
                }
                case Change.ReservationEnded(var id, _) -> reservations = reservations.without(id);
                case Change.SchedulerSaved(var value) -> scheduler = value;
                case Change.FaultSaved(var fault) -> faults = faults.with(fault.gpu(), fault);
                case Change.FaultDropped(var card) -> faults = faults.without(card);
                case Change.EstimateSaved(var model, var mib) ->
                        estimates = estimates.with(model, mib);
                case Change.ModelSaved(var model) -> models = models.with(model.name(), model);
                case Change.ModelRemoved(var name) -> models = models.without(name);
                case Change.ResultSaved(var task, var value) -> results = results.with(task, value);
                case Change.FileRunSaved(var run) -> runs = runs.with(run.id(), run);
                case Change.RunsForgotten _ -> {}
                case Change.EventAdded(var event) -> {
                    events = events.with(event.seq(), asStored(event));
                    lastSeq = Math.max(lastSeq, event.seq());
                }
            }
        }

        /** As a database returns it, so that every test uses the stored form. */
        private static Event asStored(Event event) {
            return new Event(
                    event.seq(),
                    event.at(),
                    event.actor(),
                    event.via(),
                    event.owner(),
                    event.task(),
                    event.attempt(),
                    EventCodec.read(event.kind(), EventCodec.fieldsOf(event.payload())));
        }

        private void keep(Task saved) {
            var id = saved.id();
            var task = saved.stored();
            if (saved.spec().script() instanceof Script.Text text) {
                scripts = scripts.with(id, text);
            }
            tasks = tasks.with(id, task);
            unfinished =
                    task.state().isFinal() ? unfinished.without(id) : unfinished.with(id, task);
            lastTask = later(lastTask, id);
            lastCreatedAt = later(lastCreatedAt, task.createdAt());
        }

        private void remove(TaskId id) {
            tasks = tasks.without(id);
            unfinished = unfinished.without(id);
            attempts = attempts.without(id);
            results = results.without(id);
        }

        private void keep(Attempt attempt) {
            var id = attempt.id();
            attempts = attempts.with(id.task(), attemptsOf(id.task()).with(id.number(), attempt));
            live = attempt.isLive() ? live.with(id, attempt) : live.without(id);
        }

        private static <T extends Comparable<T>> Optional<T> later(Optional<T> one, T other) {
            return one.isPresent() && one.get().compareTo(other) > 0 ? one : Optional.of(other);
        }

        private void requireConsistent() {
            var holders = new HashMap<GpuId, AttemptId>();
            for (var attempt : live) {
                if (!tasks.contains(attempt.getKey().task())) {
                    throw new IllegalStateException("attempt " + attempt.getKey() + " has no task");
                }
                for (var claim : attempt.getValue().claims()) {
                    var other =
                            claim.isExclusive() ? holders.put(claim.gpu(), attempt.getKey()) : null;
                    if (other != null) {
                        throw new IllegalStateException(
                                "card "
                                        + claim.gpu()
                                        + " would be held exclusively by"
                                        + " attempt "
                                        + other
                                        + " and by attempt "
                                        + attempt.getKey());
                    }
                }
            }
        }

        PersistentMap<Integer, Attempt> attemptsOf(TaskId id) {
            return attempts.get(id).orElse(PersistentMap.empty());
        }

        TaskRecord taskRecord(Task task) {
            return new TaskRecord(task, attemptsOf(task.id()).get(task.attempts()));
        }

        Loaded loaded() {
            var keyUses = new TreeMap<SubmitKey, SubmitKeyUse>();
            keys.forEach(entry -> keyUses.put(entry.getKey(), entry.getValue()));
            var accounts = new TreeMap<String, GpuUsage.Account>();
            usage.forEach(entry -> accounts.put(entry.getKey(), entry.getValue()));
            var groupsByPrincipal = new TreeMap<String, SortedSet<String>>();
            groups.forEach(entry -> groupsByPrincipal.put(entry.getKey(), entry.getValue()));
            var estimatesByModel = new TreeMap<String, Long>();
            estimates.forEach(entry -> estimatesByModel.put(entry.getKey(), entry.getValue()));
            return new Loaded(
                    epoch,
                    unfinished.values().toList(),
                    live.values().toList(),
                    cards.values().toList(),
                    keyUses,
                    tokens.values().toList(),
                    new StoredShares(accounts, groupsByPrincipal, reservations.values().toList()),
                    scheduler,
                    runs.values().filter(run -> !run.hasEnded()).toList(),
                    faults.values().toList(),
                    new StoredModels(estimatesByModel, models.values().toList()),
                    new LastUsed(
                            lastTask,
                            lastCreatedAt,
                            lastSeq,
                            runs.last().map(entry -> entry.getKey()).orElse(0L),
                            lastReservation));
        }
    }
}
