package dev.berth.testkit;

import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.Fault;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.line.Usage;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.KeyUse;
import dev.berth.engine.port.Scheduler;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.SubmitKey;
import dev.berth.engine.port.TaskQueries;
import dev.berth.engine.port.TaskStore;
import dev.berth.engine.port.UserUsage;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A store without a disk. What was committed stays for the next {@link #open}, so a test can let
 * its server crash and start again.
 */
public final class MemoryStore implements TaskStore, TaskQueries {

    private final AtomicReference<Kept> kept;
    private long epoch;
    private int failures;
    private StoreFailure.Kind failureKind = StoreFailure.Kind.UNAVAILABLE;

    public MemoryStore() {
        this(new AtomicReference<>(new Kept()));
    }

    private MemoryStore(AtomicReference<Kept> kept) {
        this.kept = kept;
    }

    /** What another server on the same home would use. */
    public MemoryStore another() {
        return new MemoryStore(kept);
    }

    /** The next {@code count} commits fail, and keep nothing. */
    public void failNextCommits(int count, StoreFailure.Kind kind) {
        failures = count;
        failureKind = kind;
    }

    @Override
    public Loaded open() {
        var now = kept.updateAndGet(Kept::withNextEpoch);
        epoch = now.epoch;
        return now.loaded();
    }

    /** What {@link #open} would read, while the writer goes on. */
    public Loaded peek() {
        return kept.get().loaded();
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
        Kept before;
        Kept after;
        do {
            before = kept.get();
            if (before.epoch != epoch) {
                throw new StoreFailure(
                        StoreFailure.Kind.FENCED,
                        "opened with epoch " + epoch + ", now at " + before.epoch);
            }
            after = before.with(changes);
        } while (!kept.compareAndSet(before, after));
    }

    @Override
    public Optional<TaskRecord> find(TaskId id) {
        var now = kept.get();
        return now.tasks.get(id).map(now::taskRecord);
    }

    @Override
    public List<TaskRecord> list(Filter filter, Page page) {
        var now = kept.get();
        return now
                .tasks
                .values()
                .filter(task -> matches(task, filter))
                .filter(
                        task ->
                                page.before().stream()
                                        .allMatch(before -> task.id().compareTo(before) < 0))
                .toList()
                .reversed()
                .stream()
                .limit(page.limit().orElse(Integer.MAX_VALUE))
                .map(now::taskRecord)
                .toList();
    }

    @Override
    public long count(Filter filter) {
        return kept.get().tasks.values().filter(task -> matches(task, filter)).count();
    }

    @Override
    public List<LaneRun> runs(int limit) {
        return kept.get().runs.values().toList().reversed().stream().limit(limit).toList();
    }

    @Override
    public List<Attempt> attempts(TaskId id) {
        return kept.get().attemptsOf(id).values().toList();
    }

    @Override
    public List<Event> eventsAfter(long seq, int limit) {
        return kept.get().events.values().filter(event -> event.seq() > seq).limit(limit).toList();
    }

    @Override
    public List<UserUsage> usage(Instant from, Instant to) {
        var now = kept.get();
        var usage = new MemoryUsage(from, to);
        now.tasks.values().forEach(task -> usage.add(task, attempts(task.id())));
        return usage.users();
    }

    @Override
    public List<Event> alerts(OptionalLong before, int limit) {
        var alerts =
                kept.get()
                        .events
                        .values()
                        .filter(event -> event.kind().isAlert())
                        .filter(event -> event.seq() < before.orElse(Long.MAX_VALUE))
                        .toList();
        return alerts.reversed().stream().limit(limit).toList();
    }

    private static boolean matches(Task task, Filter filter) {
        return filter.status().stream().allMatch(task.state().word()::equals)
                && filter.source().stream().allMatch(task.spec().source()::equals);
    }

    /** All that was ever committed. It is changed only before anybody else can see it. */
    private static final class Kept {
        private long epoch;
        private PersistentMap<TaskId, Task> tasks = PersistentMap.empty();
        private PersistentMap<TaskId, Task> unfinished = PersistentMap.empty();
        private PersistentMap<TaskId, PersistentMap<Integer, Attempt>> attempts =
                PersistentMap.empty();
        private PersistentMap<AttemptId, Attempt> live = PersistentMap.empty();
        private PersistentMap<CardId, Card> cards = PersistentMap.empty();
        private PersistentMap<SubmitKey, KeyUse> keys = PersistentMap.empty();
        private PersistentMap<TokenId, Token> tokens = PersistentMap.empty();
        private PersistentMap<String, Usage.Account> usage = PersistentMap.empty();
        private Scheduler scheduler = Scheduler.RUNNING;
        private PersistentMap<Long, LaneRun> runs = PersistentMap.empty();
        private PersistentMap<CardId, Fault> faults = PersistentMap.empty();
        private PersistentMap<String, Long> estimates = PersistentMap.empty();
        private PersistentMap<Long, Event> events = PersistentMap.empty();
        private Optional<TaskId> lastTask = Optional.empty();
        private Optional<Instant> lastCreatedAt = Optional.empty();
        private long lastSeq;

        private Kept copy() {
            var copy = new Kept();
            copy.epoch = epoch;
            copy.tasks = tasks;
            copy.unfinished = unfinished;
            copy.attempts = attempts;
            copy.live = live;
            copy.cards = cards;
            copy.keys = keys;
            copy.tokens = tokens;
            copy.usage = usage;
            copy.scheduler = scheduler;
            copy.runs = runs;
            copy.faults = faults;
            copy.estimates = estimates;
            copy.events = events;
            copy.lastTask = lastTask;
            copy.lastCreatedAt = lastCreatedAt;
            copy.lastSeq = lastSeq;
            return copy;
        }

        Kept withNextEpoch() {
            var after = copy();
            after.epoch++;
            return after;
        }

        Kept with(List<Change> changes) {
            var after = copy();
            changes.forEach(after::keep);
            after.requireSound();
            return after;
        }

        private void keep(Change change) {
            switch (change) {
                case Change.TaskSaved(var task) -> keep(task);
                case Change.AttemptSaved(var attempt) -> keep(attempt);
                case Change.CardSaved(var card) -> cards = cards.with(card.id(), card);
                case Change.KeySaved(var key, var use) -> keys = keys.with(key, use);
                case Change.KeyDropped(var key) -> keys = keys.without(key);
                case Change.TokenSaved(var token) -> tokens = tokens.with(token.id(), token);
                case Change.TokenDropped(var token) -> tokens = tokens.without(token);
                case Change.UsageSaved(var principal, var account) ->
                        usage = usage.with(principal, account);
                case Change.SchedulerSet(var value) -> scheduler = value;
                case Change.FaultSaved(var fault) -> faults = faults.with(fault.card(), fault);
                case Change.FaultDropped(var card) -> faults = faults.without(card);
                case Change.EstimateSaved(var model, var mib) ->
                        estimates = estimates.with(model, mib);
                case Change.RunSaved(var run) -> runs = runs.with(run.id(), run);
                case Change.Happened(var event) -> {
                    events = events.with(event.seq(), event);
                    lastSeq = Math.max(lastSeq, event.seq());
                }
            }
        }

        private void keep(Task task) {
            var id = task.id();
            tasks = tasks.with(id, task);
            unfinished =
                    task.state().isFinal() ? unfinished.without(id) : unfinished.with(id, task);
            lastTask = later(lastTask, id);
            lastCreatedAt = later(lastCreatedAt, task.createdAt());
        }

        private void keep(Attempt attempt) {
            var id = attempt.id();
            attempts = attempts.with(id.task(), attemptsOf(id.task()).with(id.number(), attempt));
            live = attempt.isLive() ? live.with(id, attempt) : live.without(id);
        }

        private static <T extends Comparable<T>> Optional<T> later(Optional<T> one, T other) {
            return one.isPresent() && one.get().compareTo(other) > 0 ? one : Optional.of(other);
        }

        private void requireSound() {
            var holders = new HashMap<CardId, AttemptId>();
            for (var attempt : live) {
                if (!tasks.contains(attempt.getKey().task())) {
                    throw new IllegalStateException("attempt " + attempt.getKey() + " has no task");
                }
                for (var claim : attempt.getValue().claims()) {
                    var other =
                            claim.exclusive() ? holders.put(claim.card(), attempt.getKey()) : null;
                    if (other != null) {
                        throw new IllegalStateException(
                                "card "
                                        + claim.card()
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
            var keyUses = new TreeMap<SubmitKey, KeyUse>();
            keys.forEach(entry -> keyUses.put(entry.getKey(), entry.getValue()));
            var accounts = new TreeMap<String, Usage.Account>();
            usage.forEach(entry -> accounts.put(entry.getKey(), entry.getValue()));
            var learned = new TreeMap<String, Long>();
            estimates.forEach(entry -> learned.put(entry.getKey(), entry.getValue()));
            return new Loaded(
                    epoch,
                    unfinished.values().toList(),
                    live.values().toList(),
                    cards.values().toList(),
                    keyUses,
                    tokens.values().toList(),
                    accounts,
                    scheduler,
                    runs.values().filter(run -> !run.isOver()).toList(),
                    runs.last().map(entry -> entry.getKey()).orElse(0L),
                    faults.values().toList(),
                    learned,
                    lastTask,
                    lastCreatedAt,
                    lastSeq);
        }
    }
}
