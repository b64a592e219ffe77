package dev.berth.core.plan;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.line.LineId;
import dev.berth.core.plan.WaitReason.CardRefused;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Devices;
import dev.berth.core.task.Manners;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Decides who starts where. */
public final class Planner {

    private final Rules rules;
    private final Passing passing;
    private final Placement placement;
    private final Placement inLanes;
    private final List<Constraint> firm;
    private final List<Constraint> all;

    /**
     * @param inLanes which card is best for the lanes of command files
     */
    public Planner(Rules rules, Passing passing, Placement placement, Placement inLanes) {
        this.rules = rules;
        this.passing = passing;
        this.placement = placement;
        this.inLanes = inLanes;
        this.firm = Constraint.firm(rules);
        this.all = Stream.concat(firm.stream(), Constraint.waivable(rules).stream()).toList();
    }

    public Planner(Rules rules, Passing passing, Placement placement) {
        this(rules, passing, placement, new Sampling());
    }

    /** The same policies by other rules. */
    public Planner with(Rules others) {
        return new Planner(others, passing, placement, inLanes);
    }

    /** Nobody passes a head that waits, and the best score wins. */
    public Planner(Rules rules) {
        this(rules, new Passing.Off(), new BestScore());
    }

    public Rules rules() {
        return rules;
    }

    public Passing passing() {
        return passing;
    }

    public Placement placement() {
        return placement;
    }

    /** By which rule such a shape is placed. */
    public Placement placement(Shape shape) {
        return placement(shape.manners());
    }

    private Placement placement(Manners manners) {
        return manners.arePolite() ? inLanes : placement;
    }

    public Plan pass(Snapshot snapshot) {
        return new Pass(this, snapshot).run();
    }

    /** What a pass says of one waiting task, and if it waits, all that it waits for. */
    public Verdict why(Snapshot snapshot, Task task) {
        if (snapshot.pause().isPresent()) {
            return new Verdict.Wait(task.id(), List.of(snapshot.pause().get()));
        }
        var plan = pass(snapshot);
        for (var start : plan.starts()) {
            if (start.task().equals(task.id())) {
                return start;
            }
        }
        var reasons = new ArrayList<WaitReason>();
        reasons.addAll(turn(snapshot, plan, task));
        reasons.addAll(shortage(task, plan));
        if (reasons.isEmpty()) {
            polite(task, plan).ifPresent(reasons::add);
        }
        return new Verdict.Wait(task.id(), reasons);
    }

    /** What keeps its turn from coming, whatever cards there are. */
    private List<WaitReason> turn(Snapshot snapshot, Plan plan, Task task) {
        var reasons = new ArrayList<WaitReason>();
        var waiting = snapshot.waiting();
        if (waiting.isResting(task)) {
            task.notBefore().map(WaitReason.Resting::new).ifPresent(reasons::add);
        }
        if (task.spec().lane().isEmpty()) {
            behind(snapshot, plan, task).ifPresent(reasons::add);
            return reasons;
        }
        var line = LineId.of(task);
        var first = waiting.lanes().queued(line).first().map(entry -> entry.getKey());
        var busy = waiting.lanes().running(line);
        if (first.isPresent() && !first.get().equals(task.id())) {
            int position = waiting.position(task, snapshot::used).orElse(0);
            reasons.add(new WaitReason.Behind(first.get(), position));
        }
        busy.map(running -> new WaitReason.LaneBusy(running.id())).ifPresent(reasons::add);
        if (reasons.isEmpty()) {
            task.spec()
                    .ofRun()
                    .filter(lane -> plan.spacing().contains(lane.run()))
                    .map(lane -> new WaitReason.Spacing(lane.run()))
                    .ifPresent(reasons::add);
        }
        return reasons;
    }

    /** Cards fit, and still it did not start: then it leaves them to others. */
    private Optional<WaitReason> polite(Task task, Plan plan) {
        return Shape.of(task.spec()).manners().arePolite()
                ? Optional.of(
                        new WaitReason.Polite(rules.lanes().left(), idle(plan.fleet()).size()))
                : Optional.empty();
    }

    /** Of the cards that lanes may use, those that nobody at all computes on. */
    SortedSet<CardId> idle(Fleet fleet) {
        return fleet.spots()
                .filter(spot -> spot.forLanes() != Spot.ForLanes.OUTSIDE)
                .filter(spot -> spot.isIdle(rules.thresholdPercent()))
                .map(spot -> spot.state().card().id())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Optional<WaitReason> behind(Snapshot snapshot, Plan plan, Task task) {
        var head = plan.blocked().get(LineId.of(task));
        if (head == null || head.id().equals(task.id()) || passing.lets(task, head)) {
            return Optional.empty();
        }
        int position = snapshot.waiting().position(task, snapshot::used).orElse(0);
        return Optional.of(new WaitReason.Behind(head.id(), position));
    }

    private List<WaitReason> shortage(Task task, Plan plan) {
        return switch (task.spec().need()) {
            case Need.Cpu _ -> cpuFull(plan.cpuTasks()).stream().toList();
            case Need.Cards need ->
                    shortage(ask(need, Shape.of(task.spec())), plan.fleet(), all).stream().toList();
        };
    }

    /** What a start by hand would take now, whoever waits in line. */
    public Verdict byHand(Snapshot snapshot, Task task, boolean isForced) {
        if (snapshot.pause().isPresent()) {
            return new Verdict.Wait(task.id(), List.of(snapshot.pause().get()));
        }
        var before = snapshot.waiting().lanes().running(LineId.of(task));
        if (before.isPresent()) {
            return new Verdict.Wait(task.id(), List.of(new WaitReason.LaneBusy(before.get().id())));
        }
        if (!(task.spec().need() instanceof Need.Cards need)) {
            var full = cpuFull(snapshot.cpuTasks());
            return full.isPresent()
                    ? new Verdict.Wait(task.id(), List.of(full.get()))
                    : new Verdict.Start(task.nextAttempt(), List.of());
        }
        var ask = ask(need, Shape.of(task.spec()));
        var rules = isForced ? firm : all;
        var fleet = fleet(snapshot, ask.manners());
        var missing = shortage(ask, fleet, rules);
        if (missing.isPresent()) {
            return new Verdict.Wait(task.id(), List.of(missing.get()));
        }
        var fitting = fitting(ask, fleet.open(), rules, snapshot.at());
        int count = Math.min(need.count().most(), fitting.size());
        return new Verdict.Start(task.nextAttempt(), claims(ask, fitting.subList(0, count)));
    }

    /** How many known cards could serve such a shape if nobody held or used them. */
    public int suitable(Shape shape, PersistentMap<?, CardState> cards) {
        return shape.need() instanceof Need.Cards need
                ? suitable(ask(need, shape), cards)
                : cards.size();
    }

    private int suitable(Ask ask, PersistentMap<?, CardState> cards) {
        return (int) cards.values().filter(card -> isSuitable(ask, card)).count();
    }

    /** Each card with what speaks for and against it, by index. */
    public List<Survey> survey(Snapshot snapshot, Task task) {
        if (!(task.spec().need() instanceof Need.Cards need)) {
            return List.of();
        }
        var ask = ask(need, Shape.of(task.spec()));
        return fleet(snapshot, ask.manners())
                .spots()
                .sorted(Comparator.comparingInt(spot -> spot.state().card().index()))
                .map(
                        spot ->
                                new Survey(
                                        spot,
                                        refusal(ask, spot, all),
                                        Placement.all(rules.models()).stream()
                                                .map(
                                                        rule ->
                                                                Survey.scored(
                                                                        rule, ask, spot, snapshot))
                                                .toList()))
                .toList();
    }

    /** Why this card cannot be given to such a shape. */
    public Optional<Refusal> refusal(Shape shape, Spot spot, boolean isForced) {
        return shape.need() instanceof Need.Cards need
                ? refusal(ask(need, shape), spot, isForced ? firm : all)
                : Optional.empty();
    }

    /** What such a shape asks of each card. */
    public Ask ask(Need.Cards need, Shape shape) {
        return Ask.of(need, shape, rules);
    }

    // The steps of a pass.

    private Fleet fleet(Snapshot snapshot, Manners manners) {
        return manners.arePolite() ? snapshot.fleet().forLanes(rules) : snapshot.fleet();
    }

    Optional<Refusal> refusal(Ask ask, Spot spot) {
        return refusal(ask, spot, all);
    }

    private static Optional<Refusal> refusal(Ask ask, Spot spot, List<Constraint> constraints) {
        for (var constraint : constraints) {
            var refusal = constraint.refuses(ask, spot);
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        return Optional.empty();
    }

    /** The cards that fit, best first. */
    List<Spot> fitting(Ask ask, List<Spot> among, Instant now) {
        return fitting(ask, among, all, now);
    }

    private List<Spot> fitting(
            Ask ask, List<Spot> among, List<Constraint> constraints, Instant now) {
        record Scored(Spot spot, Score score) {}
        return among.stream()
                .filter(spot -> refusal(ask, spot, constraints).isEmpty())
                .map(spot -> new Scored(spot, placement(ask.manners()).score(ask, spot, now)))
                .sorted(
                        Comparator.comparing(Scored::score)
                                .reversed()
                                .thenComparing(one -> one.spot().state().card().index())
                                .thenComparing(one -> one.spot().state().card().id()))
                .map(Scored::spot)
                .toList();
    }

    Optional<WaitReason> cpuFull(int running) {
        return rules.mostCpuTasks().isPresent() && running >= rules.mostCpuTasks().getAsInt()
                ? Optional.of(new WaitReason.CpuFull(running, rules.mostCpuTasks().getAsInt()))
                : Optional.empty();
    }

    /** Whether waiting can help at all: as soon as enough cards are found, nobody looks further. */
    boolean isPossible(Ask ask, SortedMap<Integer, List<CardState>> byIndex) {
        int wanted = ask.need().count().least();
        int suitable = 0;
        var indices = ask.need().devices().map(Devices::indices).orElse(null);
        for (var index : indices == null ? byIndex.keySet() : indices) {
            for (var state : byIndex.getOrDefault(index, List.of())) {
                suitable += isSuitable(ask, state) ? 1 : 0;
                if (suitable >= wanted) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether such a card could ever be given, if nobody held or used it. */
    private boolean isSuitable(Ask ask, CardState state) {
        return refusal(ask, Spot.unheld(state), firm).stream().noneMatch(Refusal::isForEver);
    }

    private static Optional<WaitReason> shortage(
            Ask ask, Fleet fleet, List<Constraint> constraints) {
        var refused = new ArrayList<CardRefused>();
        int hopeless = 0;
        for (var state : fleet.cards().values().toList()) {
            var refusal = refusal(ask, fleet.spot(state), constraints);
            if (refusal.isPresent()) {
                hopeless += refusal.get().isForEver() ? 1 : 0;
                refused.add(new CardRefused(state.card(), refusal.get()));
            }
        }
        int wanted = ask.need().count().least();
        int fitting = fleet.cards().size() - refused.size();
        if (fitting >= wanted) {
            return Optional.empty();
        }
        // That a task names one card says nothing of the others.
        refused.removeIf(one -> one.refusal() instanceof Refusal.NotNamed);
        refused.sort(Comparator.comparingInt(one -> one.card().index()));
        int suitable = fleet.cards().size() - hopeless;
        return Optional.of(
                suitable < wanted
                        ? new WaitReason.Impossible(wanted, suitable, refused)
                        : new WaitReason.CardsShort(wanted, fitting, refused));
    }

    static List<Claim> claims(Ask ask, List<Spot> chosen) {
        return chosen.stream()
                .map(spot -> spot.state().card())
                .sorted(Comparator.comparingInt(card -> card.index()))
                .map(card -> new Claim(card.id(), ask.neededMib().orElse(0), !ask.isShared()))
                .toList();
    }
}
