package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.card.Fault;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.plan.WaitReason.Paused;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.Meter;
import dev.berth.engine.port.Node;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Decides, commits, publishes, replies, acts; in that order, one batch at a time, on one thread.
 *
 * <p>State is published only after its commit, so nobody is ever told of something that a crash
 * could undo.
 */
public final class Engine {

    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    /** How soon a failed commit is tried again. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    private static final Duration FORGET_EVERY = Duration.ofMinutes(10);

    private final TaskStore store;
    private final Node node;
    private final Granting.Place place;
    private final LongWaits longWaits;
    private final Failpoints failpoints;
    private final Meter meter;
    private final Queueing queueing;

    private final List<Envelope> kept = new ArrayList<>();
    private Instant due = Instant.MAX;
    private Instant forgetAt = Instant.MIN;
    private boolean isLookingOften;
    private Optional<Deciders> retuned = Optional.empty();
    private volatile Deciders deciders;
    private volatile State state;
    private volatile Optional<String> halted = Optional.empty();
    private volatile Optional<StoreFailure> storeTrouble = Optional.empty();

    /** A command and whom to tell what came of it. */
    public record Envelope(Command command, Consumer<Reply> reply) {}

    /** What an engine is made of. */
    public record Parts(
            TaskStore store,
            Node node,
            Planner planner,
            Queueing queueing,
            Failpoints failpoints,
            Meter meter) {

        /** Where nobody counts. */
        public Parts(
                TaskStore store,
                Node node,
                Planner planner,
                Queueing queueing,
                Failpoints failpoints) {
            this(store, node, planner, queueing, failpoints, Meter.NONE);
        }

        /** With the usual queue. */
        public Parts(TaskStore store, Node node, Planner planner, Failpoints failpoints) {
            this(store, node, planner, Queueing.USUAL, failpoints);
        }
    }

    private Engine(Parts parts, State state, long epoch) {
        this.store = parts.store();
        this.node = parts.node();
        this.failpoints = parts.failpoints();
        this.meter = parts.meter();
        this.queueing = parts.queueing();
        this.place = new Granting.Place(node.name(), node.bootId(), epoch);
        this.longWaits = new LongWaits(parts.queueing().longWait());
        this.state = state;
        this.deciders = deciders(parts.planner(), queueing.tuning(), state);
    }

    /**
     * Opens the store and asks the node what became of every attempt that was under way. Nothing
     * starts before all of them are answered for.
     *
     * @param highestFolder the highest task id that has a folder: ids stay above it even if the
     *     store was lost
     */
    public static Engine recover(Parts parts, long highestFolder, Instant at) throws StoreFailure {
        var loaded = parts.store().open();
        var from = State.of(loaded, parts.queueing().order(), highestFolder);
        var engine = new Engine(parts, from, loaded.epoch());
        var draft = new Draft(engine.state, at);
        draft.happened(Event.Kind.SERVER_STARTED, Map.of("epoch", Long.toString(loaded.epoch())));
        parts.failpoints().reach("recovery.before-commit");
        parts.store().commit(draft.changes());
        engine.state = draft.state();
        draft.changes().forEach(engine::tell);
        log.info(
                "recovered epoch={} queued={} live={}",
                loaded.epoch(),
                engine.state.waiting().size(),
                engine.state.attempts().size());
        for (var attempt : loaded.attempts()) {
            parts.failpoints().reach("recovery.before-adopt");
            var task = from.tasks().get(attempt.id().task());
            parts.node().adopt(attempt, task.flatMap(one -> one.spec().timeLimit()));
        }
        loaded.faults().stream()
                .filter(fault -> fault.stage() == Fault.Stage.TESTING)
                .filter(fault -> !from.holds().contains(fault.card()))
                .forEach(fault -> parts.node().test(fault.card()));
        return engine;
    }

    private Deciders deciders(Planner written, Tuning tuning, State from) {
        var learned = from.books().estimates();
        return Deciders.of(written, tuning, learned, queueing.mostOfOneUser(), place);
    }

    /** What has been committed. */
    public State state() {
        return state;
    }

    /** Whether every attempt of an earlier server has been answered for. */
    public boolean isRecovered() {
        return state.watch().awaited().isEmpty();
    }

    /** Whether the last commit failed: then nothing is tried again before {@link #due}. */
    public boolean isStoreFailing() {
        return storeTrouble.isPresent();
    }

    /** When the engine wants to be called again if nothing happens before. */
    public Instant due() {
        return due;
    }

    /** Whether there is anything to do though nothing has happened. */
    public boolean isDue(Instant now) {
        boolean isMoving = state.waiting().order().isByUse() && !state.waiting().lines().isEmpty();
        return isMoving || !now.isBefore(due) || !now.isBefore(forgetAt);
    }

    /** What keeps the engine from doing all of its work, in plain words. */
    public List<String> problems() {
        return Problems.of(state, halted, storeTrouble);
    }

    /**
     * Where a waiting task stands, by the same planner, on what is committed now. Any thread may
     * ask.
     */
    public Verdict why(Task task, Instant at) {
        return planner().why(snapshot(at), task);
    }

    /** What a pass would look at. Any thread may ask. */
    public Snapshot snapshot(Instant at) {
        var now = state;
        return deciders.granting().snapshot(now, pause(now), at);
    }

    public Queueing queueing() {
        return queueing;
    }

    /** Who decides; it may be asked what would be. */
    public Planner planner() {
        return deciders.planner();
    }

    /** What lanes go by now. Any thread may ask. */
    public Tuning tuning() {
        return deciders.tuning();
    }

    /** How long the longest wait is, and who waits too long. Any thread may ask. */
    public LongWaits.Waits waits(Instant at) {
        return longWaits.waits(state.waiting(), at);
    }

    /** Handles one batch. */
    public void run(List<Envelope> batch, Instant at) {
        var work = new ArrayList<>(kept);
        work.addAll(batch);
        kept.clear();
        due = Instant.MAX;

        var outcomes = new ArrayList<Outcome>();
        var changes = new ArrayList<Change>();
        var effects = new ArrayList<Effect>();
        var tentative = state;
        for (var envelope : work) {
            var draft = new Draft(tentative, envelope.command().at());
            var reply = decide(draft, envelope.command());
            outcomes.add(new Outcome(envelope, reply));
            if (!(reply instanceof Reply.Refused)) {
                tentative = draft.state();
                changes.addAll(draft.changes());
                effects.addAll(draft.effects());
            }
        }
        var granted = grant(tentative, at);
        tentative = granted.state();
        changes.addAll(granted.changes());
        effects.addAll(granted.effects());

        if (commit(changes, at)) {
            state = tentative;
            changes.stream()
                    .filter(Change.EstimateSaved.class::isInstance)
                    .findAny()
                    .ifPresent(_ -> relearn());
            due = retuned.isPresent() ? at : nextDue(at);
            deciders = retuned.orElse(deciders);
            outcomes.forEach(outcome -> outcome.envelope().reply().accept(outcome.reply()));
            effects.forEach(this::act);
            lookOften();
            changes.forEach(this::tell);
        } else {
            giveBack(outcomes);
        }
        retuned = Optional.empty();
    }

    private Instant nextDue(Instant now) {
        return Stream.of(
                        Optional.of(state.watch().lateness().checkAt()),
                        Waking.due(state),
                        deciders.granting().pausedUntil(state, now))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** A lane's head goes to the card that did least in the last second, which needs many looks. */
    private void lookOften() {
        boolean isOften = state.waiting().hasLaneHeads() && pause(state).isEmpty();
        if (isOften != isLookingOften) {
            isLookingOften = isOften;
            node.lookOften(isOften);
        }
    }

    /** One line for everything that happened, once it is certain. */
    private void tell(Change change) {
        if (change instanceof Change.Happened(Event event)) {
            meter.happened(event);
            log.atLevel(event.kind().isTrouble() ? Level.WARN : Level.INFO)
                    .log(
                            "{} task={} attempt={} by={} {}",
                            event.kind().word(),
                            event.task().map(TaskId::toString).orElse("-"),
                            event.attempt().map(id -> Integer.toString(id.number())).orElse("-"),
                            event.actor().name(),
                            event.data());
        }
    }

    private record Outcome(Envelope envelope, Reply reply) {}

    private Reply decide(Draft draft, Command command) {
        try {
            return switch (command) {
                case Command.Submit submit -> deciders.submitting().decide(draft, submit);
                case Command.Cancel cancel -> Cancelling.decide(draft, cancel);
                case Command.Enqueue enqueue -> deciders.drafting().decide(draft, enqueue);
                case Command.Start start ->
                        deciders.drafting().decide(draft, start, pause(draft.state()));
                case Command.Revise revise -> deciders.drafting().decide(draft, revise);
                case Command.Schedule schedule -> Scheduling.decide(draft, schedule);
                case Command.StartRun start -> deciders.files().decide(draft, start);
                case Command.StopRun stop -> deciders.files().decide(draft, stop);
                case Command.Retune retune -> tuned(draft, retune);
                case Command.TakeOut take -> Faults.decide(draft, take);
                case Command.HandBack give -> Faults.decide(draft, give);
                case Command.CreateToken create -> Admitting.decide(draft, create);
                case Command.RevokeToken revoke -> Admitting.decide(draft, revoke);
                case Command.Observe(_, var fact) -> {
                    Observing.decide(draft, fact, planner().rules(), deciders.tuning());
                    yield new Reply.Noted();
                }
                case Command.Tick(Instant at) -> {
                    tick(draft, at);
                    yield new Reply.Noted();
                }
            };
        } catch (RuntimeException defect) {
            log.error(
                    "engine.failed deciding {}; the state stays as it was",
                    command.getClass().getSimpleName(),
                    defect);
            if (command instanceof Command.Observe) {
                // A fact that cannot be taken in leaves the state behind the world: granting more
                // would be guessing.
                halt("a fact could not be taken in: " + defect);
            }
            return new Reply.Refused(
                    Rejected.conflict("internal", "Berth could not decide this: " + defect));
        }
    }

    /** They decide from the next batch on, once it is known that they are to. */
    private Reply tuned(Draft draft, Command.Retune retune) {
        var written = deciders.written().with(retune.rules());
        retuned = Optional.of(deciders(written, retune.tuning(), draft.state()));
        draft.happened(Event.Kind.RULES_CHANGED, retune.actor(), Map.of());
        return new Reply.Noted();
    }

    private void relearn() {
        var current = retuned.orElse(deciders);
        retuned = Optional.of(deciders(current.written(), current.tuning(), state));
    }

    private void tick(Draft draft, Instant at) {
        if (!at.isBefore(forgetAt)) {
            deciders.submitting().forget(draft, at);
            Admitting.forget(draft, at);
            forgetAt = at.plus(FORGET_EVERY);
        }
    }

    /** One pass of the planner; a pass that fails, or that would break a rule, grants nothing. */
    private Draft grant(State from, Instant at) {
        var draft = new Draft(from, at);
        try {
            Waking.decide(draft);
            longWaits.decide(draft);
            deciders.granting().decide(draft, pause(draft.state()), meter);
        } catch (RuntimeException defect) {
            log.error("engine.failed the pass; nothing is started by it", defect);
            return new Draft(from, at);
        }
        var broken = Invariants.broken(draft.state());
        if (broken.isPresent()) {
            halt(broken.get());
            return new Draft(from, at);
        }
        return draft;
    }

    private Optional<Paused> pause(State now) {
        if (halted.isPresent()) {
            return Optional.of(new Paused(Paused.Cause.INVARIANT_BROKEN, halted.get()));
        }
        if (!now.watch().awaited().isEmpty()) {
            return Optional.of(
                    new Paused(
                            Paused.Cause.RECOVERING,
                            "finding out what became of attempts "
                                    + now.watch()
                                            .awaited()
                                            .values()
                                            .map(one -> one.id())
                                            .toList()));
        }
        if (now.watch().diskLow()) {
            return Optional.of(
                    new Paused(Paused.Cause.DISK_LOW, now.watch().diskFreeMib() + " MiB free"));
        }
        // Last, because a start by hand is stopped by every cause but this one.
        if (!now.books().scheduler().isRunning()) {
            return Optional.of(
                    new Paused(
                            Paused.Cause.STOPPED,
                            now.books()
                                    .scheduler()
                                    .last()
                                    .map(turn -> "by " + turn.by().name())
                                    .orElse("by nobody known")));
        }
        return Optional.empty();
    }

    private boolean commit(List<Change> changes, Instant at) {
        if (changes.isEmpty()) {
            return true;
        }
        try {
            failpoints.reach("engine.before-commit");
            var watch = meter.start(Meter.Step.COMMIT);
            store.commit(changes);
            watch.stop();
            failpoints.reach("engine.after-commit");
            storeTrouble.ifPresent(_ -> log.info("the store takes commits again"));
            storeTrouble = Optional.empty();
            return true;
        } catch (StoreFailure failure) {
            if (storeTrouble.isEmpty()) {
                log.error("commit failed, nothing of it was kept: {}", failure.getMessage());
            }
            storeTrouble = Optional.of(failure);
            if (failure.kind() == StoreFailure.Kind.FENCED) {
                halt(failure.getMessage() == null ? "fenced" : failure.getMessage());
            }
            due = at.plus(RETRY);
            return false;
        } catch (RuntimeException defect) {
            // The store found a rule broken that we did not: nothing was kept, and nothing more may
            // be granted.
            log.error("the store refused a commit", defect);
            halt("the store refused a commit: " + defect.getMessage());
            storeTrouble =
                    Optional.of(
                            new StoreFailure(
                                    StoreFailure.Kind.UNAVAILABLE, "refused a commit", defect));
            due = at.plus(RETRY);
            return false;
        }
    }

    /**
     * After a failed commit: facts wait for the next one, callers are told that nothing was kept.
     */
    private void giveBack(List<Outcome> outcomes) {
        var failure = storeTrouble.orElseThrow();
        for (var outcome : outcomes) {
            var reply = outcome.reply();
            switch (outcome.envelope().command()) {
                case Command.Observe _ -> kept.add(outcome.envelope());
                case Command.Tick _ -> outcome.envelope().reply().accept(reply);
                case Command.Request _ ->
                        outcome.envelope()
                                .reply()
                                .accept(
                                        reply instanceof Reply.Refused
                                                ? reply
                                                : new Reply.Unavailable(
                                                        failure.kind(), describe(failure)));
            }
        }
    }

    private static String describe(StoreFailure failure) {
        return switch (failure.kind()) {
            case FULL ->
                    "The disk that holds Berth's database is full; nothing was kept. Make room and"
                            + " try again.";
            case UNAVAILABLE ->
                    "Berth's database cannot be written now; nothing was kept. Try again.";
            case FENCED -> "Another server has taken over this home; this one no longer writes.";
        };
    }

    private void act(Effect effect) {
        try {
            switch (effect) {
                case Effect.Launch(var order) -> node.launch(order);
                case Effect.Stop(var attempt) -> node.stop(attempt);
                case Effect.Test(var card) -> node.test(card);
            }
        } catch (RuntimeException defect) {
            log.error("the node did not take {}", effect.getClass().getSimpleName(), defect);
            halt("the node did not take an order: " + defect);
        }
    }

    private void halt(String why) {
        if (halted.isEmpty()) {
            log.error("starts are halted: {}", why);
            halted = Optional.of(why);
        }
    }

    /** For those who show why nothing starts. */
    public Optional<WaitReason.Paused> paused() {
        return pause(state);
    }
}
