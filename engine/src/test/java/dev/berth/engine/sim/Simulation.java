package dev.berth.engine.sim;

import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Backoff;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ScriptHash;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.AttemptSettings;
import dev.berth.engine.Engine;
import dev.berth.engine.Engine.Envelope;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.engine.QueueSettings;
import dev.berth.engine.Resolution;
import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;
import dev.berth.port.SubmitKey;
import dev.berth.testkit.MemoryStore;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/**
 * One simulated lifetime of a server: users submit and cancel, components fail, and after every
 * step the invariants are checked.
 */
public final class Simulation {

    private static final SimNode.FailureRates ROUGH = new SimNode.FailureRates(3, 5, 20, 5, 20, 10);
    private static final String ENDLESS = "sleep infinity";
    private static final int PATIENCE = 20_000;
    private static final QueueSettings QUEUEING =
            new QueueSettings(
                    QueueSettings.DEFAULT.order(),
                    QueueSettings.DEFAULT.maxWaitingPerUser(),
                    QueueSettings.DEFAULT.longWaitLimit(),
                    QueueSettings.DEFAULT.pollInterval(),
                    new AttemptSettings(
                            new Backoff(3, Duration.ofSeconds(2)),
                            OptionalInt.empty(),
                            Duration.ofMillis(20),
                            Duration.ofMinutes(1),
                            SimWorkers.MODELS));

    private final SplittableRandom random;
    private final SimGpus cards;
    private final VirtualTime time = new VirtualTime();
    private final SimMachine machine = new SimMachine();
    private final MemoryStore store = new MemoryStore();
    private final List<String> story = new ArrayList<>();
    private final List<Envelope> inbox = new ArrayList<>();
    private final Planner planner;
    private final ShareOracle shares;
    private final RandomRequests whims;
    private final Oracle oracle;

    private @Nullable Engine engine;
    private @Nullable SimNode node;
    private final List<MemoryStore.Copy> copies = new ArrayList<>();

    private boolean calm;
    private boolean isStateLost;

    /** The highest task id that was ever stored; the file `generation` of a home keeps it. */
    private long highestId;

    private int submits;

    /**
     * Thrown where the simulation kills the server in the middle of an operation. No code of the
     * product may catch it.
     */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    /** An invariant is violated. */
    public static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1;

        Violation(String rule) {
            super(rule);
        }
    }

    private Simulation(long seed) {
        this.random = new SplittableRandom(seed);
        this.cards = new SimGpus(machine, random.split());
        this.whims = new RandomRequests(random.split());
        this.oracle = new Oracle(store, machine, cards, whims);
        var limits = ShareOracle.limits(random.split());
        this.shares = new ShareOracle(limits);
        this.planner = new Planner(SchedulingRules.DEFAULT.with(limits));
    }

    /**
     * Simulates one lifetime and returns its event log.
     *
     * @throws Violation after the first step that violates an invariant
     */
    public static List<String> run(long seed, int steps) {
        var world = new Simulation(seed);
        try {
            world.run(steps);
        } catch (Violation violation) {
            var end = world.story.subList(Math.max(0, world.story.size() - 25), world.story.size());
            throw new Violation(violation.getMessage() + "\n  " + String.join("\n  ", end));
        }
        world.store
                .eventsAfter(0, Integer.MAX_VALUE)
                .forEach(event -> world.story.add(event.toString()));
        return List.copyOf(world.story);
    }

    private void run(int steps) {
        start();
        somethingHappens();
        for (int step = 0; step < steps; step++) {
            time.step();
            check();
        }
        calmDown();
    }

    /** Ends all failures. Now every acknowledged task must finish, if necessary after a cancel. */
    private void calmDown() {
        calm = true;
        store.failNextCommits(0, StoreFailure.Kind.FULL);
        if (node != null) {
            node.stopFailures();
        }
        cards.stopFailures();
        readCards();
        diskSpace();
        boolean killOnceMore = random.nextBoolean();
        for (int step = 0; step < PATIENCE && !isQuiet(); step++) {
            if (step % 50 == 0) {
                switchOn();
                cancelWhatWaitsForIt();
                removeReservations();
                for (int card = 0; card < SimGpus.COUNT; card++) {
                    send(whims.handBack(now(), card), _ -> {});
                }
            }
            if (step == 60 && killOnceMore) {
                killServer("for the last time");
            }
            time.step();
            check();
        }
        if (!isQuiet()) {
            var left = unfinished().stream().map(Task::id).toList();
            throw new Violation("not everything came to an end: " + left);
        }
    }

    /**
     * A task that never ends by itself and an attempt that was lost need a user; one cancel must be
     * enough.
     */
    private void cancelWhatWaitsForIt() {
        for (var task : unfinished()) {
            var id = task.id();
            boolean doubtful =
                    store.attempts(id).stream()
                            .map(Attempt::phase)
                            .anyMatch(
                                    phase ->
                                            phase instanceof Phase.Lost
                                                    || phase instanceof Phase.Stuck);
            boolean needsAPerson = doubtful || isEndless(task.spec()) || isDraft(task);
            if (needsAPerson && !oracle.isCancelled(id)) {
                cancel(id);
            }
        }
    }

    private void removeReservations() {
        for (var reservation : store.peek().shares().reservations()) {
            send(
                    new EngineCommand.RemoveReservation(now(), Owner.unix("ann"), reservation.id()),
                    _ -> {});
        }
    }

    private static boolean isDraft(Task task) {
        return task.state() instanceof TaskState.Pending;
    }

    private boolean isQuiet() {
        return engine != null
                && engine.isRecovered()
                && unfinished().isEmpty()
                && machine.alive().isEmpty();
    }

    /**
     * Includes tasks whose submit was not answered: the server may have died between the commit and
     * its answer.
     */
    private List<Task> unfinished() {
        return store.peek().tasks().stream().filter(task -> !task.spec().isWorker()).toList();
    }

    private void somethingHappens() {
        if (calm) {
            return;
        }
        int dice = random.nextInt(100);
        if (dice < 55) {
            submit();
        } else if (dice < 75) {
            cancel();
        } else if (dice < 80) {
            killServer("at rest");
        } else if (dice < 82) {
            reboot();
        } else if (dice < 86) {
            store.failNextCommits(1 + random.nextInt(3), StoreFailure.Kind.FULL);
            tell("the disk is full for a while");
        } else if (dice < 92) {
            changeCards();
        } else if (dice < 94) {
            diskSpace();
        } else if (dice < 95) {
            cardIsSick();
        } else if (dice < 97) {
            loseState();
        } else {
            somebodyDecides();
        }
        time.after(Duration.ofMillis(1L + random.nextInt(400)), this::somethingHappens);
    }

    /** As the API does: only if no process of the attempt is seen. */
    private void resolve(Engine running) {
        running.state()
                .attempts()
                .values()
                .filter(attempt -> attempt.phase() instanceof Phase.Lost)
                .map(Attempt::id)
                .filter(
                        id ->
                                machine.folder(id)
                                        .filter(folder -> folder.isAnythingAlive())
                                        .isEmpty())
                .findFirst()
                .ifPresent(
                        id -> {
                            var as =
                                    random.nextBoolean()
                                            ? new Resolution.Requeue()
                                            : new Resolution.Ended();
                            send(
                                    new EngineCommand.Resolve(
                                            now(), Owner.unix("ann"), id, as, false),
                                    reply -> tell("resolve " + id + " " + as + " -> " + reply));
                        });
    }

    private void somebodyDecides() {
        var running = engine;
        if (running != null) {
            resolve(running);
        }
        if (random.nextInt(4) == 0) {
            observe(whims.groups());
        }
        for (int i = 0; running != null && i <= random.nextInt(4); i++) {
            var request = whims.next(running.state(), now());
            send(request, reply -> tell(request.getClass().getSimpleName() + " -> " + reply));
        }
    }

    private void cardIsSick() {
        if (engine != null && !engine.state().gpus().isEmpty()) {
            var sign = whims.hardwareFault(engine.state());
            tell("a sign of " + sign.gpu() + ": " + sign.kind());
            observe(sign);
        }
    }

    private void submit() {
        var keys = oracle.keys();
        boolean again = !keys.isEmpty() && random.nextInt(10) == 0;
        var key = again ? keys.get(random.nextInt(keys.size())) : "key-" + ++submits;
        var spec = spec(key);
        var keyed = new EngineCommand.RepeatGuard(new SubmitKey("unix:ann", key), "hash of " + key);
        send(
                new EngineCommand.Submit(now(), owner(key), spec, Optional.of(keyed)),
                reply -> acknowledge(key, spec, reply));
    }

    /** The same key is always of the same user. */
    private static Owner owner(String key) {
        return Owner.unix(Math.floorMod(key.hashCode(), 3) == 0 ? "bob" : "ann");
    }

    private void acknowledge(String key, TaskSpec spec, EngineReply reply) {
        if (reply instanceof EngineReply.TaskAccepted(TaskId id, boolean repeated)) {
            tell("submit " + key + " -> " + id + (repeated ? " again" : ""));
            oracle.acknowledged(key, id, spec);
        } else {
            tell("submit " + key + " -> " + reply);
        }
    }

    /** The same key always gives the same request. */
    private static TaskSpec spec(String key) {
        int shape = Math.floorMod(key.hashCode(), 11);
        if (shape >= 8) {
            return SimWorkers.call("task " + key, shape);
        }
        var need =
                switch (shape) {
                    case 0 -> Need.CPU;
                    case 3, 4 ->
                            new Need.Gpus(
                                    Need.GpuCount.of(1),
                                    Optional.empty(),
                                    Need.GpuMemory.of(22_000));
                    case 5 ->
                            new Need.Gpus(
                                    new Need.GpuCount(1, 3),
                                    Optional.empty(),
                                    Need.GpuMemory.UNSTATED);
                    case 6 ->
                            Need.Gpus.on(
                                    GpuIndices.of(0, 2), Optional.empty(), Need.GpuMemory.UNSTATED);
                    default -> Need.gpus(1 + shape % 3);
                };
        var command = shape == 7 || shape == 0 ? ENDLESS : "true";
        return TaskSpec.of("task " + key, command, need, "/tmp").with(Priority.values()[shape % 4]);
    }

    static boolean isEndless(TaskSpec spec) {
        return spec.isWorker() || spec.script().commandHash() == ScriptHash.of(ENDLESS);
    }

    private void cancel() {
        var live = oracle.acknowledgedTasks();
        if (!live.isEmpty()) {
            cancel(live.get(random.nextInt(live.size())));
        }
    }

    private void cancel(TaskId id) {
        send(
                new EngineCommand.Cancel(now(), Owner.unix("ann"), id),
                reply -> {
                    tell("cancel " + id + " -> " + reply.getClass().getSimpleName());
                    if (reply instanceof EngineReply.TaskAccepted) {
                        oracle.cancelled(id);
                    }
                });
    }

    private void changeCards() {
        tell(cards.change());
        readCards();
    }

    private void readCards() {
        if (node != null && engine != null) {
            node.read();
        }
    }

    private void diskSpace() {
        observe(new Fact.DiskSpaceRead("sim", !calm && random.nextBoolean(), 100));
    }

    private void reboot() {
        tell("the machine restarts");
        machine.reboot();
        cards.reboot();
        killServer("with the machine");
    }

    /** The database is deleted, or replaced by an older copy. */
    private void loseState() {
        killServer("and its database is lost");
        boolean isGone = copies.isEmpty() || random.nextInt(3) == 0;
        var older =
                isGone
                        ? Optional.<MemoryStore.Copy>empty()
                        : Optional.of(copies.get(random.nextInt(copies.size())));
        tell(isGone ? "the database is gone" : "the database is an older one");
        isStateLost = true;
        store.loseState(older);
        copies.clear();
    }

    /** What the tasks' directories cannot tell is lost, and `berth recover` must name it. */
    private void recover() {
        long highest = Math.max(oracle.highestAcknowledged(), highestId);
        var result = new SimRecovery(machine, store).run(highest, now());
        if (result.isEmpty()) {
            tell("berth recover must be run again");
            return;
        }
        isStateLost = false;
        tell("berth recover: lost " + result.get());
        oracle.recovered(result.get());
        time.after(Duration.ofSeconds(1), this::switchOn);
    }

    private void switchOn() {
        send(new EngineCommand.SwitchScheduler(now(), Owner.unix("ann"), true), _ -> {});
    }

    private void killServer(String when) {
        tell("kill -9 of the server " + when);
        if (node != null) {
            node.kill();
        }
        engine = null;
        inbox.clear();
        time.after(Duration.ofMillis(1L + random.nextInt(500)), this::start);
    }

    private void start() {
        if (engine != null) {
            return;
        }
        if (isStateLost) {
            recover();
        }
        if (isStateLost) {
            time.after(Duration.ofMillis(500), this::start);
            return;
        }
        var hazards = calm ? SimNode.FailureRates.NONE : ROUGH;
        var fresh =
                new SimNode(
                        new SimNode.Environment(machine, cards, time, random.split(), hazards),
                        this::observe);
        node = fresh;
        try {
            engine =
                    Engine.recover(
                            new Engine.Parts(store, fresh, planner, QUEUEING, this::reach),
                            0,
                            now());
            tell("the server is up");
            fresh.watchCards();
            observe(new Fact.DiskSpaceRead("sim", false, 1000));
        } catch (StoreFailure failure) {
            killServer("because it cannot open its store");
        } catch (Killed killed) {
            killServer("in its recovery");
        }
    }

    /** Sometimes kills the server at this point. */
    private void reach(String point) {
        if (!calm && random.nextInt(60) == 0) {
            tell("killed at " + point);
            throw new Killed();
        }
    }

    private void observe(Fact fact) {
        tell("fact " + fact);
        send(new EngineCommand.Observe(now(), fact), _ -> {});
    }

    private void send(EngineCommand command, java.util.function.Consumer<EngineReply> reply) {
        if (engine == null && !(command instanceof EngineCommand.Observe)) {
            return;
        }
        inbox.add(new Envelope(command, reply));
        time.after(Duration.ofMillis(random.nextInt(3)), this::turn);
    }

    private void turn() {
        var running = engine;
        if (running == null) {
            return;
        }
        var batch = List.copyOf(inbox);
        inbox.clear();
        try {
            var before = running.state();
            running.run(batch, now());
            oracle.checkGrants(before, running.state(), now());
            shares.check(before, running.state(), now());
            if (running.due().isBefore(Instant.MAX)) {
                time.after(Duration.between(now(), running.due()), this::turn);
            }
        } catch (Killed killed) {
            killServer("in the middle of a batch");
        }
    }

    private void check() {
        if (!machine.broken().isEmpty()) {
            throw new Violation(String.join("; ", machine.broken()));
        }
        if (!isStateLost) {
            checkStore();
        }
    }

    private void checkStore() {
        highestId = store.peek().last().task().map(TaskId::value).orElse(highestId);
        if (random.nextInt(50) == 0) {
            copies.add(store.copy());
        }
        oracle.checkStore();
        if (engine != null) {
            oracle.checkState(engine.state(), now());
        }
    }

    private Instant now() {
        return time.now();
    }

    private void tell(String line) {
        story.add(now() + " " + line);
    }
}
