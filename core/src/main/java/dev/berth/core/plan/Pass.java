package dev.berth.core.plan;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.line.LineId;
import dev.berth.core.line.Usage;
import dev.berth.core.line.Waiting;
import dev.berth.core.line.Waiting.Head;
import dev.berth.core.plan.Spot.ForLanes;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Lane;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One pass: the heads in order, and for each the cards that fit, until nobody is left who could
 * start.
 *
 * <p>Starts only take cards away, so a shape that found none finds none later in the same pass, and
 * a list of fitting cards only gets shorter: each shape looks at all cards once.
 */
final class Pass {

    private final Planner planner;
    private final Snapshot from;
    private final Waiting waiting;
    private final PriorityQueue<Head> heads = new PriorityQueue<>(Head.ORDER);
    private final TreeSet<Shape> vain = new TreeSet<>();
    private final TreeMap<Shape, List<Spot>> fitting = new TreeMap<>();
    private final TreeMap<String, Double> used;
    private final List<Verdict.Start> starts = new ArrayList<>();
    private final TreeMap<LineId, Task> blocked = new TreeMap<>();
    private final TreeMap<Integer, List<CardState>> byIndex = new TreeMap<>();
    private final List<Spot> open;

    /** Runs of which a task is being started: the next one waits until that has come up. */
    private final TreeSet<Long> spacing;

    /** Cards of the lanes that nobody computes on; worked out when the first lane asks. */
    private @Nullable SortedSet<CardId> idle;

    private Fleet fleet;
    private int cpuTasks;

    Pass(Planner planner, Snapshot from) {
        this.planner = planner;
        this.from = from;
        this.waiting = from.waiting();
        this.used = new TreeMap<>(from.used());
        this.fleet =
                waiting.lanes().queued().isEmpty()
                        ? from.fleet()
                        : from.fleet().forLanes(planner.rules());
        this.spacing = new TreeSet<>(from.spacing());
        this.open = fleet.open();
        this.cpuTasks = from.cpuTasks();
    }

    Plan run() {
        if (from.pause().isEmpty()) {
            heads.addAll(waiting.heads(this::used, from.at(), spacing));
            while (!heads.isEmpty()) {
                look(heads.remove());
            }
        }
        return new Plan(starts, blocked, fleet, cpuTasks, spacing);
    }

    private void look(Head head) {
        var place = head.place();
        var precedence = waiting.precedence(place, this::used, from.at());
        if (!precedence.equals(place.precedence())) {
            // Its owner has been given something since it was put in.
            heads.add(head.with(precedence));
            return;
        }
        var before = blocked.get(place.line());
        if (before != null && !planner.passing().lets(head.task(), before)) {
            return;
        }
        var run = head.task().spec().ofRun().map(Lane.OfRun::run);
        if (run.filter(spacing::contains).isPresent()) {
            return;
        }
        var shape = place.group().shape();
        var claims = vain.contains(shape) ? Optional.<Chosen>empty() : claims(shape);
        if (claims.isPresent()) {
            start(head, claims.get());
            run.ifPresent(spacing::add);
            head.follower().ifPresent(heads::add);
        } else {
            vain.add(shape);
            if (isPossible(shape)) {
                block(place.line(), head.task());
            }
        }
        // Whoever is behind it in its group has the same shape and finds no more than it did.
    }

    /** It keeps its turn; one that gathers several cards keeps those it found from lanes, too. */
    private void block(LineId line, Task head) {
        if (blocked.putIfAbsent(line, head) == null
                && line.equals(LineId.MAIN)
                && head.spec().need() instanceof Need.Cards need
                && need.count().least() > 1) {
            fleet =
                    fleet.promising(
                            fitting.getOrDefault(Shape.of(head.spec()), List.of()), head.id());
        }
    }

    private void start(Head head, Chosen chosen) {
        var claims = chosen.claims();
        var start = new Verdict.Start(head.task().nextAttempt(), claims, chosen.leavesTooFew());
        starts.add(start);
        fleet = fleet.with(start.attempt(), claims);
        cpuTasks += claims.isEmpty() ? 1 : 0;
        if (idle != null) {
            claims.forEach(claim -> idle.remove(claim.card()));
        }
        if (!claims.isEmpty()) {
            used.merge(
                    head.place().group().owner().principal(),
                    Usage.weighed(claims.size(), Usage.LEAST),
                    Double::sum);
        }
    }

    /** What a task is given. */
    private record Chosen(List<Claim> claims, boolean leavesTooFew) {}

    private double used(String principal) {
        return used.getOrDefault(principal, 0.0);
    }

    private boolean isPossible(Shape shape) {
        return !(shape.need() instanceof Need.Cards need)
                || planner.isPossible(planner.ask(need, shape), byIndex());
    }

    /** Only where somebody is blocked does anybody ask. */
    private SortedMap<Integer, List<CardState>> byIndex() {
        if (byIndex.isEmpty()) {
            for (var entry : fleet.cards()) {
                byIndex.computeIfAbsent(entry.getValue().card().index(), _ -> new ArrayList<>(1))
                        .add(entry.getValue());
            }
        }
        return byIndex;
    }

    private Optional<Chosen> claims(Shape shape) {
        return switch (shape.need()) {
            case Need.Cpu _ ->
                    planner.cpuFull(cpuTasks).isPresent()
                            ? Optional.empty()
                            : Optional.of(new Chosen(List.of(), false));
            case Need.Cards need -> {
                var ask = planner.ask(need, shape);
                yield switch (ask.manners()) {
                    case USUAL -> anyOf(ask, found(shape, ask, need.count().most()));
                    case SINGLE -> sparing(ask, found(shape, ask, Integer.MAX_VALUE));
                    case MULTI -> sharing(ask, found(shape, ask, Integer.MAX_VALUE));
                };
            }
        };
    }

    /** The cards that fit now, best first. */
    private List<Spot> found(Shape shape, Ask ask, int most) {
        var candidates =
                fitting.computeIfAbsent(
                        shape, _ -> new ArrayList<>(planner.fitting(ask, open, from.at())));
        var found = new ArrayList<Spot>();
        for (Iterator<Spot> each = candidates.iterator(); each.hasNext() && found.size() < most; ) {
            var spot = fleet.spot(each.next().state());
            if (planner.refusal(ask, spot).isEmpty()) {
                found.add(spot);
            } else {
                each.remove();
            }
        }
        return found;
    }

    /** All cards or none. */
    private static Optional<Chosen> anyOf(Ask ask, List<Spot> found) {
        return found.size() < ask.need().count().least()
                ? Optional.empty()
                : Optional.of(new Chosen(Planner.claims(ask, found), false));
    }

    /** The first that leaves others as many idle cards as they are to be left. */
    private Optional<Chosen> sparing(Ask ask, List<Spot> found) {
        for (var spot : found) {
            var one = List.of(spot);
            if (idleWithout(one) >= planner.rules().lanes().left()) {
                return Optional.of(new Chosen(Planner.claims(ask, one), false));
            }
        }
        return Optional.empty();
    }

    /**
     * As many as there are less those that are left to others, but never fewer than it needs; those
     * kept back come last.
     */
    private Optional<Chosen> sharing(Ask ask, List<Spot> found) {
        var count = ask.need().count();
        if (found.size() < count.least()) {
            return Optional.empty();
        }
        int left = planner.rules().lanes().left();
        var inOrder = new ArrayList<>(found);
        inOrder.sort(Comparator.comparing(spot -> spot.forLanes() == ForLanes.KEPT_BACK));
        int size = Math.min(count.most(), Math.max(count.least(), found.size() - left));
        while (size > count.least() && idleWithout(inOrder.subList(0, size)) < left) {
            size--;
        }
        var chosen = inOrder.subList(0, size);
        return Optional.of(new Chosen(Planner.claims(ask, chosen), idleWithout(chosen) < left));
    }

    /** How many cards would be idle of anybody when these are taken. */
    private int idleWithout(List<Spot> taken) {
        var now = idle;
        if (now == null) {
            now = planner.idle(fleet);
            idle = now;
        }
        int others = now.size();
        for (var spot : taken) {
            others -= now.contains(spot.state().card().id()) ? 1 : 0;
        }
        return others;
    }
}
