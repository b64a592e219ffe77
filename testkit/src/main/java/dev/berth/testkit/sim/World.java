package dev.berth.testkit.sim;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.plan.Headroom;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Backoff;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Devices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.Command;
import dev.berth.engine.Engine;
import dev.berth.engine.Engine.Envelope;
import dev.berth.engine.Invariants;
import dev.berth.engine.Queueing;
import dev.berth.engine.Reply;
import dev.berth.engine.State;
import dev.berth.engine.Tuning;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.SubmitKey;
import dev.berth.testkit.MemoryStore;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One life of a lab's server: people submit and cancel, things break, and after every step the
 * rules are checked.
 */
public final class World {

    private static final SimNode.Hazards ROUGH = new SimNode.Hazards(3, 5, 20, 5, 20, 10);
    private static final String ENDLESS = "sleep infinity";
    private static final int PATIENCE = 20_000;
    private static final Queueing QUEUEING =
            new Queueing(
                    Queueing.USUAL.order(),
                    Queueing.USUAL.mostOfOneUser(),
                    Queueing.USUAL.longWait(),
                    Queueing.USUAL.poll(),
                    new Tuning(
                            new Backoff(3, Duration.ofSeconds(2)),
                            OptionalInt.empty(),
                            Duration.ofMillis(20),
                            Duration.ofMinutes(1)));

    private final SplittableRandom random;
    private final SimCards cards;
    private final VirtualTime time = new VirtualTime();
    private final Machine machine = new Machine();
    private final MemoryStore store = new MemoryStore();
    private final List<String> story = new ArrayList<>();
    private final SortedMap<TaskId, TaskSpec> acknowledged = new TreeMap<>();
    private final SortedMap<String, TaskId> keys = new TreeMap<>();
    private final SortedSet<TaskId> cancelled = new TreeSet<>();
    private final List<Envelope> inbox = new ArrayList<>();
    private final Planner planner = new Planner(Rules.USUAL);
    private final Whims whims;

    private @Nullable Engine engine;
    private @Nullable SimNode node;
    private boolean calm;
    private int submits;

    /**
     * Thrown where the server is killed in the middle of something; no code of the product may
     * catch it.
     */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    /** A rule was broken. */
    public static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1;

        Violation(String rule) {
            super(rule);
        }
    }

    private World(long seed) {
        this.random = new SplittableRandom(seed);
        this.cards = new SimCards(machine, random.split());
        this.whims = new Whims(random.split());
    }

    /**
     * Lives a whole life and tells it.
     *
     * @throws Violation at the first step after which a rule does not hold
     */
    public static List<String> live(long seed, int steps) {
        var world = new World(seed);
        try {
            world.live(steps);
        } catch (Violation violation) {
            var end = world.story.subList(Math.max(0, world.story.size() - 25), world.story.size());
            throw new Violation(violation.getMessage() + "\n  " + String.join("\n  ", end));
        }
        world.store
                .eventsAfter(0, Integer.MAX_VALUE)
                .forEach(event -> world.story.add(event.toString()));
        return List.copyOf(world.story);
    }

    private void live(int steps) {
        start();
        somethingHappens();
        for (int step = 0; step < steps; step++) {
            time.step();
            check();
        }
        calmDown();
    }

    /**
     * No more trouble: everything that was acknowledged must come to its end, if need be by a
     * cancel.
     */
    private void calmDown() {
        calm = true;
        store.failNextCommits(0, StoreFailure.Kind.FULL);
        if (node != null) {
            node.calmDown();
        }
        cards.calmDown();
        readCards();
        diskSpace();
        boolean killOnceMore = random.nextBoolean();
        for (int step = 0; step < PATIENCE && !isQuiet(); step++) {
            if (step % 50 == 0) {
                send(new Command.Schedule(now(), Owner.unix("ann"), true), _ -> {});
                cancelWhatWaitsForIt();
                for (int card = 0; card < SimCards.COUNT; card++) {
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
     * What never ends by itself, and what Berth has lost sight of, needs a person; but only one
     * word of hers.
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
            if (needsAPerson && !cancelled.contains(id)) {
                cancel(id);
            }
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
     * Also those whose caller was never told: the server may have died between the commit and its
     * answer.
     */
    private List<Task> unfinished() {
        return store.peek().tasks();
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
        } else {
            somebodyDecides();
        }
        time.after(Duration.ofMillis(1L + random.nextInt(400)), this::somethingHappens);
    }

    private void somebodyDecides() {
        var running = engine;
        for (int i = 0; running != null && i <= random.nextInt(4); i++) {
            var request = whims.next(running.state(), now());
            send(request, reply -> tell(request.getClass().getSimpleName() + " -> " + reply));
        }
    }

    private void cardIsSick() {
        if (engine != null && !engine.state().cards().isEmpty()) {
            var sign = whims.sick(engine.state());
            tell("a sign of " + sign.card() + ": " + sign.kind());
            observe(sign);
        }
    }

    private void submit() {
        boolean again = !keys.isEmpty() && random.nextInt(10) == 0;
        var key =
                again
                        ? new ArrayList<>(keys.keySet()).get(random.nextInt(keys.size()))
                        : "key-" + ++submits;
        var spec = spec(key);
        var keyed = new Command.Keyed(new SubmitKey("unix:ann", key), "hash of " + key);
        send(
                new Command.Submit(now(), Owner.unix("ann"), spec, Optional.of(keyed)),
                reply -> acknowledge(key, spec, reply));
    }

    private void acknowledge(String key, TaskSpec spec, Reply reply) {
        if (reply instanceof Reply.Granted(TaskId id, boolean repeated)) {
            tell("submit " + key + " -> " + id + (repeated ? " again" : ""));
            var earlier = keys.putIfAbsent(key, id);
            if (earlier != null && !earlier.equals(id)) {
                throw new Violation("one key made two tasks: " + earlier + " and " + id);
            }
            acknowledged.put(id, spec);
        } else {
            tell("submit " + key + " -> " + reply);
        }
    }

    /** The same key always stands for the same request. */
    private static TaskSpec spec(String key) {
        int shape = Math.floorMod(key.hashCode(), 8);
        var need =
                switch (shape) {
                    case 0 -> Need.CPU;
                    case 3, 4 ->
                            new Need.Cards(
                                    Need.Count.of(1), Optional.empty(), Need.Memory.of(22_000));
                    case 5 ->
                            new Need.Cards(
                                    new Need.Count(1, 3), Optional.empty(), Need.Memory.UNSTATED);
                    case 6 ->
                            Need.Cards.on(Devices.of(0, 2), Optional.empty(), Need.Memory.UNSTATED);
                    default -> Need.cards(1 + shape % 3);
                };
        var command = shape == 7 || shape == 0 ? ENDLESS : "true";
        return TaskSpec.of("task " + key, command, need, "/tmp").with(Priority.values()[shape % 4]);
    }

    static boolean isEndless(TaskSpec spec) {
        return spec.command().equals(ENDLESS);
    }

    private void cancel() {
        var live = new ArrayList<>(acknowledged.keySet());
        if (!live.isEmpty()) {
            cancel(live.get(random.nextInt(live.size())));
        }
    }

    private void cancel(TaskId id) {
        send(
                new Command.Cancel(now(), Owner.unix("ann"), id),
                reply -> {
                    tell("cancel " + id + " -> " + reply.getClass().getSimpleName());
                    if (reply instanceof Reply.Granted) {
                        cancelled.add(id);
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
        observe(new Fact.DiskSpace("sim", !calm && random.nextBoolean(), 100));
    }

    private void reboot() {
        tell("the machine restarts");
        machine.reboot();
        cards.reboot();
        killServer("with the machine");
    }

    private void killServer(String when) {
        tell("kill -9 of the server " + when);
        if (node != null) {
            node.die();
        }
        engine = null;
        inbox.clear();
        time.after(Duration.ofMillis(1L + random.nextInt(500)), this::start);
    }

    private void start() {
        if (engine != null) {
            return;
        }
        var hazards = calm ? SimNode.Hazards.NONE : ROUGH;
        var fresh =
                new SimNode(
                        new SimNode.Setting(machine, cards, time, random.split(), hazards),
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
            observe(new Fact.DiskSpace("sim", false, 1000));
        } catch (StoreFailure failure) {
            killServer("because it cannot open its store");
        } catch (Killed killed) {
            killServer("in its recovery");
        }
    }

    /** Now and then the server is killed exactly here. */
    private void reach(String point) {
        if (!calm && random.nextInt(60) == 0) {
            tell("killed at " + point);
            throw new Killed();
        }
    }

    private void observe(Fact fact) {
        tell("fact " + fact);
        send(new Command.Observe(now(), fact), _ -> {});
    }

    private void send(Command command, java.util.function.Consumer<Reply> reply) {
        if (engine == null && !(command instanceof Command.Observe)) {
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
            checkGrants(before, running.state());
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
        for (var entry : acknowledged.entrySet()) {
            var spec = find(entry.getKey()).spec();
            if (!spec.equals(entry.getValue()) && !whims.isAsked(entry.getKey(), spec)) {
                throw new Violation("task " + entry.getKey() + " is not what was submitted");
            }
        }
        for (var id : cancelled) {
            var state = find(id).state();
            if (state.isFinal() && !(state instanceof TaskState.Cancelled)) {
                throw new Violation("task " + id + " was cancelled and became " + state);
            }
        }
        for (var alive : machine.alive()) {
            boolean live =
                    store.attempts(alive.task()).stream()
                            .anyMatch(attempt -> attempt.id().equals(alive) && attempt.isLive());
            if (!live && machine.folder(alive).orElseThrow().go.isPresent()) {
                throw new Violation("attempt " + alive + " runs, but the store says that it ended");
            }
        }
        if (engine != null) {
            checkMemory(engine.state());
        }
    }

    /** What was granted just now was granted by what was known of its cards, and truly fits. */
    private void checkGrants(State before, State after) {
        for (var attempt : after.attempts().values().toList()) {
            if (before.attempts().contains(attempt.id())) {
                continue;
            }
            for (var claim : attempt.claims()) {
                checkGrant(attempt.id(), claim, after);
            }
        }
    }

    private void checkGrant(AttemptId id, Claim claim, State state) {
        var where = "attempt " + id + " was granted " + claim.card();
        if (!(state.usable().get(claim.card()).orElseThrow()
                instanceof CardState.Readable(_, var reading))) {
            throw new Violation(where + ", which cannot be read or is out of use");
        }
        if (reading.occupants().orElseThrow().stream().anyMatch(Occupant::isAnotherUsersWork)) {
            throw new Violation(where + ", on which another user computes");
        }
        if (Headroom.mib(reading, List.of()).orElseThrow() < claim.mib()) {
            throw new Violation(where + ", which has no room for it");
        }
        var others = cards.others(claim.card(), id, now());
        if (!others.isEmpty()) {
            throw new Violation(where + ", which still carries " + others);
        }
    }

    private void checkMemory(State state) {
        Invariants.broken(state)
                .ifPresent(
                        rule -> {
                            throw new Violation(rule);
                        });
        checkLanes(state);
        var kept = State.of(store.peek(), state.waiting().order(), 0);
        if (!kept.tasks().equals(state.tasks()) || !kept.attempts().equals(state.attempts())) {
            throw new Violation("memory and store differ");
        }
        if (!kept.waiting().awake(now()).equals(state.waiting().awake(now()))
                || !kept.holds().equals(state.holds())) {
            throw new Violation("what follows from the state was not kept up");
        }
    }

    /** Nobody runs before all those before them in their lane have ended, and none runs beside. */
    private void checkLanes(State state) {
        for (var run : state.books().runs().values().toList()) {
            if (run.left(state.tasks()) == 0) {
                throw new Violation("run " + run.id() + " goes on with nothing left");
            }
            var before = new TreeMap<String, Task>();
            for (long id = run.first().value(); id < run.end().value(); id++) {
                var task = find(new TaskId(id));
                var lane = task.spec().ofRun().orElseThrow().word();
                var open = before.get(lane);
                if (open != null && task.attempts() > 0) {
                    throw new Violation(
                            "task " + id + " was started before " + open.id() + " had ended");
                }
                if (!task.state().isFinal()) {
                    before.put(lane, task);
                }
            }
        }
    }

    private Task find(TaskId id) {
        return store.find(id)
                .orElseThrow(() -> new Violation("task " + id + " was acknowledged and is gone"))
                .task();
    }

    private Instant now() {
        return time.now();
    }

    private void tell(String line) {
        story.add(now() + " " + line);
    }
}
