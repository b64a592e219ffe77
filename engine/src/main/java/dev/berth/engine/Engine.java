package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.forecast.ForecastInput;
import dev.berth.core.forecast.Forecaster;
import dev.berth.core.gpu.GpuFault;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.Task;
import dev.berth.port.CancelJournal;
import dev.berth.port.Change;
import dev.berth.port.Cluster;
import dev.berth.port.EngineMeter;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.Node;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskStore;
import dev.berth.port.event.ServerPayload;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Commits what the {@link Stepper} decided, publishes the new state, starts new tasks, replies,
 * acts; in that order, one batch at a time, on one thread.
 *
 * <p>State is published only after its commit, so no reader sees anything that a crash could undo.
 */
public final class Engine {

    private static final Logger log = LoggerFactory.getLogger(Engine.class);

    /** How soon a failed commit is tried again. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final StoreWriter store;
    private final PendingCancels cancels;
    private final UnstoredAlerts unstored = new UnstoredAlerts();
    private final Node node;
    private final AttemptOrders orders;
    private final Launches launches;
    private final EngineMeter meter;
    private final QueueSettings queueSettings;
    private final long epoch;
    private final Stepper stepper;

    /** Facts of failed commits. They come before the next batch. */
    private final List<Envelope> retriedFacts = new ArrayList<>();

    private Instant due = Instant.MAX;
    private volatile StepState current;

    /** A command and the receiver of its reply. */
    public record Envelope(EngineCommand command, Consumer<EngineReply> reply) {}

    /** The cluster that runs the tasks instead of the node. */
    public record ClusterPart(Cluster cluster, ClusterTerms terms) {}

    /** What an engine is built from. */
    public record Parts(
            TaskStore store,
            Node node,
            Planner planner,
            QueueSettings queueSettings,
            Failpoints failpoints,
            EngineMeter meter,
            CancelJournal cancels,
            Optional<ClusterPart> cluster) {

        /** Tasks run on the node. */
        public Parts(
                TaskStore store,
                Node node,
                Planner planner,
                QueueSettings queueing,
                Failpoints failpoints,
                EngineMeter meter,
                CancelJournal cancels) {
            this(store, node, planner, queueing, failpoints, meter, cancels, Optional.empty());
        }

        /** The same with a cluster that runs the tasks. */
        public Parts with(ClusterPart other) {
            return new Parts(
                    store,
                    node,
                    planner,
                    queueSettings,
                    failpoints,
                    meter,
                    cancels,
                    Optional.of(other));
        }

        /** Without metrics. */
        public Parts(
                TaskStore store,
                Node node,
                Planner planner,
                QueueSettings queueing,
                Failpoints failpoints) {
            this(store, node, planner, queueing, failpoints, EngineMeter.NONE, CancelJournal.NONE);
        }

        /** Without metrics and with the default queue settings. */
        public Parts(TaskStore store, Node node, Planner planner, Failpoints failpoints) {
            this(store, node, planner, QueueSettings.DEFAULT, failpoints);
        }
    }

    private Engine(Parts parts, EngineState loaded, long epoch) {
        this.store = new StoreWriter(parts.store(), parts.failpoints(), parts.meter());
        this.cancels = new PendingCancels(parts.cancels());
        this.node = parts.node();
        this.orders = new AttemptOrders(node, parts.cluster().map(ClusterPart::cluster));
        this.launches = new Launches(parts.store(), node, orders);
        this.meter = parts.meter();
        this.queueSettings = parts.queueSettings();
        this.epoch = epoch;
        var place =
                new TaskStarter.NodeSession(
                        parts.cluster().map(one -> one.cluster().name()).orElse(node.name()),
                        node.bootId(),
                        epoch,
                        parts.cluster().map(ClusterPart::terms));
        this.stepper = new Stepper(queueSettings, place, meter);
        this.current = stepper.initial(loaded, parts.planner(), queueSettings.attemptSettings());
    }

    /**
     * Opens the store and asks the node what became of every attempt that has not ended. Until the
     * node has answered, an attempt keeps its GPUs and its task stays running, so nothing of it can
     * start a second time; other tasks start on other GPUs.
     *
     * @param highestFolder the highest task id that has a folder: ids stay above it even if the
     *     store was lost
     */
    public static Engine recover(Parts parts, long highestFolder, Instant at) throws StoreFailure {
        var loaded = parts.store().open();
        var from = EngineState.of(loaded, parts.queueSettings().order(), highestFolder);
        var engine = new Engine(parts, from, loaded.epoch());
        var decision = new Decision(from, at);
        decision.addEvent(new ServerPayload.ServerStarted(loaded.epoch()));
        FileRunDecider.endFinished(decision);
        var deciders = engine.current.deciders();
        WorkerRecovery.endAll(decision, deciders.planner().rules(), deciders.attemptSettings());
        for (var model : deciders.allModels().all().values()) {
            if (model.isPrewarmed()) {
                WorkerDecider.change(decision, state -> state.withPrewarm(model.name(), true));
            }
        }
        parts.failpoints().reach("recovery.before-commit");
        parts.store().commit(decision.changes());
        engine.current = engine.current.with(decision.state());
        decision.changes().forEach(engine::count);
        EventLog.write(decision.changes(), decision.state());
        log.info(
                "recovered epoch={} queued={} live={}",
                loaded.epoch(),
                engine.state().waiting().size(),
                engine.state().attempts().size());
        for (var attempt : decision.state().attempts().values().toList()) {
            if (attempt.isCall()) {
                continue;
            }
            parts.failpoints().reach("recovery.before-adopt");
            var task = from.tasks().get(attempt.id().task());
            engine.orders.adopt(
                    attempt,
                    task.flatMap(one -> one.spec().options().timeLimit()),
                    task.flatMap(TaskStarter::reportKey));
        }
        loaded.faults().stream()
                .filter(fault -> fault.stage() == GpuFault.Stage.TESTING)
                .filter(fault -> !from.holds().contains(fault.gpu()))
                .forEach(fault -> parts.node().testGpu(fault.gpu()));
        return engine;
    }

    /** What has been committed. Any thread may ask, as for all that follows. */
    public EngineState state() {
        return current.state();
    }

    /** Whether the node has answered for every attempt of an earlier server. */
    public boolean isRecovered() {
        return state().sinceStart().unrecovered().isEmpty();
    }

    /** Whether the last commit failed: then nothing is tried again before {@link #due}. */
    public boolean isStoreFailing() {
        return store.failure().isPresent();
    }

    /** The epoch with which this server opened the store. */
    public long epoch() {
        return epoch;
    }

    /** What keeps the engine from doing all of its work, in plain words. */
    public List<String> problems() {
        var now = current;
        return EngineProblems.of(now.state(), now.halted(), store.problem());
    }

    /** Where a waiting task stands, by the same planner, on what is committed now. */
    public Verdict why(Task task, Instant at) {
        var now = current;
        return now.deciders().planner().explain(now.snapshot(at), task);
    }

    /** What a scheduling pass would look at. */
    public Snapshot snapshot(Instant at) {
        return current.snapshot(at);
    }

    /** What expected starts and ends are computed from; the computation itself takes long. */
    public ForecastInput forecastInput(Instant at) {
        var now = current;
        var deciders = now.deciders();
        return new ForecastInput(
                new Forecaster(deciders.planner(), deciders.attemptSettings().assignDelay()),
                now.snapshot(at),
                now.state().runningTasks(),
                now.state().sinceStart().learned());
    }

    /** Why a new task would be refused now, if so. */
    public Optional<Rejected> refusal(EngineCommand.NewTask entry) {
        var now = current;
        return now.deciders().submits().refusal(entry, now.state());
    }

    /** The task as a submit would add it: the limits of its owner may bound its time. */
    public EngineCommand.NewTask capped(EngineCommand.NewTask entry) {
        var now = current;
        return now.deciders().submits().capped(entry, now.state());
    }

    public QueueSettings queueSettings() {
        return queueSettings;
    }

    /** The planner with the rules now in force. */
    public Planner planner() {
        return current.deciders().planner();
    }

    /** All models that have workers. */
    public Models models() {
        return current.deciders().allModels();
    }

    /** The settings for lanes and retries now in force. */
    public AttemptSettings attemptSettings() {
        return current.deciders().attemptSettings();
    }

    /** The longest wait, and how many tasks wait too long. */
    public LongWaits.Waits waits(Instant at) {
        return stepper.longWaits().waits(state().waiting().waitStarts(), at);
    }

    /** Why no task may start at the moment, if so. */
    public Optional<WaitReason.Paused> pause() {
        return current.pause();
    }

    /** When {@link #run} must be called again if no command arrives before. */
    public Instant due() {
        return due;
    }

    /** Whether there is work to do even without a new command. */
    public boolean isDue(Instant now) {
        return !now.isBefore(due) || current.isDue(now);
    }

    /** Handles one batch. */
    public void run(List<Envelope> batch, Instant at) {
        run(batch, at, () -> {});
    }

    /**
     * The same.
     *
     * @param published called with the new state in place and all orders given, before the log is
     *     written: callers wait for it
     */
    void run(List<Envelope> batch, Instant at, Runnable published) {
        batch.forEach(envelope -> launches.observe(envelope.command()));
        launches.retry().forEach(fact -> takeIn(fact, at));
        var work = new ArrayList<>(cancels.all());
        work.addAll(retriedFacts);
        work.addAll(batch);
        retriedFacts.clear();
        var step = stepper.step(current, work.stream().map(Envelope::command).toList(), at);
        step.defects().forEach(Engine::report);
        switch (store.commit(step.changes())) {
            case StoreWriter.Outcome.Committed _ -> {
                unstored.stored(step.changes());
                publish(step);
                cancels.committed();
                due = unstored.due().filter(time -> time.isBefore(due)).orElse(due);
                unstored.committed(at).ifPresent(fact -> takeIn(fact, at));
                launches.committed(step.changes());
                var effects = step.effects().stream().filter(this::isNeeded).toList();
                effects.stream().filter(this::isAtHand).forEach(effect -> act(effect, at));
                // Before the replies: a caller who reads the metrics next finds its own event.
                step.changes().forEach(this::count);
                for (int i = 0; i < work.size(); i++) {
                    work.get(i).reply().accept(step.replies().get(i));
                }
                effects.stream()
                        .filter(effect -> !isAtHand(effect))
                        .forEach(effect -> act(effect, at));
                launches.committed(List.of());
                published.run();
                EventLog.write(step.changes(), step.next().state());
                if (launches.isWaiting() && due.isAfter(at.plus(RETRY))) {
                    due = at.plus(RETRY);
                }
            }
            case StoreWriter.Outcome.Failed(var failure, var halt) -> {
                due = at.plus(RETRY);
                unstored.failed(step.changes(), failure, at, state().sinceStart().isDiskLow());
                halt.ifPresent(this::halt);
                replyAfterFailure(work, step.replies(), failure, at);
            }
        }
    }

    public void onUnstoredAlert(UnstoredAlertListener listener) {
        unstored.sendTo(listener);
    }

    private void publish(Step step) {
        if (current.halted().isEmpty()) {
            step.next().halted().ifPresent(Engine::reportHalt);
        }
        current = step.next();
        due = step.due();
    }

    /** A fact that the engine found out itself, decided with the next batch. */
    private void takeIn(Fact fact, Instant at) {
        retriedFacts.add(new Envelope(new EngineCommand.Observe(at, fact), _ -> {}));
        due = at;
    }

    /** After a failed commit: facts wait for the next one, callers learn that nothing was kept. */
    private void replyAfterFailure(
            List<Envelope> work, List<EngineReply> replies, StoreFailure failure, Instant at) {
        for (int i = 0; i < work.size(); i++) {
            var envelope = work.get(i);
            var reply = replies.get(i);
            switch (unwrapped(envelope.command())) {
                case EngineCommand.Observe _ -> retriedFacts.add(envelope);
                case EngineCommand.Tick _ -> envelope.reply().accept(reply);
                case EngineCommand.Cancel cancel when mayCancel(reply, failure) -> {
                    boolean isNew = !cancels.contains(cancel.task());
                    envelope.reply().accept(cancels.add(cancel));
                    if (isNew) {
                        stopNow(cancel.task(), at);
                    }
                }
                case EngineCommand.Request _ ->
                        envelope.reply()
                                .accept(
                                        reply instanceof EngineReply.Refused
                                                ? reply
                                                : new EngineReply.Unavailable(failure.kind()));
            }
        }
    }

    private static EngineCommand unwrapped(EngineCommand command) {
        return command instanceof EngineCommand.Authenticated(var request, _) ? request : command;
    }

    /** A newer server owns the home of a fenced one. */
    private static boolean mayCancel(EngineReply reply, StoreFailure failure) {
        return reply instanceof EngineReply.TaskAccepted
                && failure.kind() != StoreFailure.Kind.FENCED;
    }

    private void stopNow(TaskId task, Instant at) {
        state().tasks()
                .get(task)
                .filter(one -> one.state().liveAttempt().isPresent())
                .map(one -> new AttemptId(task, one.attempts()))
                .ifPresent(attempt -> act(new Effect.Stop(attempt), at));
    }

    /** An attempt whose end was committed with its stop needs no stop. */
    private boolean isNeeded(Effect effect) {
        return !(effect instanceof Effect.Stop(var attempt))
                || state().attempts().contains(attempt);
    }

    /**
     * True for a start whose script need not be read. It goes before the replies, because a caller
     * waits for the task, not for the reply.
     */
    private boolean isAtHand(Effect effect) {
        return effect instanceof Effect.Launch(var order)
                && launches.isAtHand(order.attempt().id().task());
    }

    private void act(Effect effect, Instant at) {
        try {
            switch (effect) {
                case Effect.Launch(var order) ->
                        launches.launch(order).ifPresent(fact -> takeIn(fact, at));
                case Effect.Call(var order) ->
                        launches.call(order).ifPresent(fact -> takeIn(fact, at));
                case Effect.Stop(var attempt) -> {
                    launches.forget(attempt);
                    orders.stop(attempt);
                }
                case Effect.Withdraw(var attempt) -> orders.withdraw(attempt);
                case Effect.Watch(var attempt, var process) -> node.watch(attempt, process);
                case Effect.Forget(var attempt) -> orders.forget(attempt);
                case Effect.TestGpu(var card) -> node.testGpu(card);
                case Effect.SampleOften(var isOften) -> node.sampleGpusOften(isOften);
            }
        } catch (RuntimeException defect) {
            log.error("the node did not take {}", effect.getClass().getSimpleName(), defect);
            halt("the node did not take an order: " + defect);
        }
    }

    /** For what goes wrong outside of deciding: no task starts any more. */
    private void halt(String why) {
        if (current.halted().isEmpty()) {
            reportHalt(why);
            current = current.halted(why);
        }
    }

    private static void reportHalt(String why) {
        log.error("starts are halted: {}", why);
    }

    private static void report(Step.Defect defect) {
        log.error(
                "engine.failed deciding {}; the state stays as it was",
                defect.what(),
                defect.cause());
    }

    private void count(Change change) {
        if (change instanceof Change.EventAdded(Event event)) {
            meter.eventCommitted(event);
        }
    }
}
