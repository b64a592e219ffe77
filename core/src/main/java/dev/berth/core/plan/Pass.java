package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.line.LineId;
import dev.berth.core.line.Usage;
import dev.berth.core.line.Waiting;
import dev.berth.core.line.Waiting.Head;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.TreeMap;

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
    private final TreeMap<Shape, List<Spot>> fitting = new TreeMap<>();
    private final TreeMap<String, Double> used;
    private final List<Verdict.Start> starts = new ArrayList<>();
    private final TreeMap<LineId, Task> blocked = new TreeMap<>();
    private final TreeMap<Integer, List<CardState>> byIndex = new TreeMap<>();
    private final List<Spot> open;
    private Fleet fleet;
    private int cpuTasks;

    Pass(Planner planner, Snapshot from) {
        this.planner = planner;
        this.from = from;
        this.waiting = from.waiting();
        this.used = new TreeMap<>(from.used());
        this.fleet = from.fleet();
        this.open = from.fleet().open();
        this.cpuTasks = from.cpuTasks();
    }

    Plan run() {
        if (from.pause().isEmpty()) {
            heads.addAll(waiting.heads(this::used));
            while (!heads.isEmpty()) {
                look(heads.remove());
            }
        }
        return new Plan(starts, blocked, fleet, cpuTasks);
    }

    private void look(Head head) {
        var place = head.place();
        var precedence = waiting.order().precedence(place.group(), this::used);
        if (!precedence.equals(place.precedence())) {
            // Its owner has been given something since it was put in.
            heads.add(head.with(precedence));
            return;
        }
        var before = blocked.get(place.line());
        if (before != null && !planner.passing().lets(head.task(), before)) {
            return;
        }
        var claims = claims(place.group().shape());
        if (claims.isPresent()) {
            start(head, claims.get());
            head.next().ifPresent(heads::add);
        } else if (isPossible(place.group().shape())) {
            blocked.putIfAbsent(place.line(), head.task());
        }
        // Whoever is behind it in its group has the same shape and finds no more than it did.
    }

    private void start(Head head, List<Claim> claims) {
        var start = new Verdict.Start(head.task().nextAttempt(), claims);
        starts.add(start);
        fleet = fleet.with(start.attempt(), claims);
        cpuTasks += claims.isEmpty() ? 1 : 0;
        if (!claims.isEmpty()) {
            used.merge(
                    head.place().group().owner().principal(),
                    Usage.weighed(claims.size(), Usage.LEAST),
                    Double::sum);
        }
    }

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

    private Optional<List<Claim>> claims(Shape shape) {
        return switch (shape.need()) {
            case Need.Cpu _ ->
                    planner.cpuFull(cpuTasks).isPresent()
                            ? Optional.empty()
                            : Optional.of(List.of());
            case Need.Cards need -> claims(shape, planner.ask(need, shape));
        };
    }

    /** All cards or none. */
    private Optional<List<Claim>> claims(Shape shape, Ask ask) {
        var candidates =
                fitting.computeIfAbsent(
                        shape, _ -> new ArrayList<>(planner.fitting(ask, open, from.at())));
        var chosen = new ArrayList<Spot>();
        for (Iterator<Spot> each = candidates.iterator();
                each.hasNext() && chosen.size() < ask.need().count().most(); ) {
            var spot = fleet.spot(each.next().state());
            if (planner.refusal(ask, spot).isEmpty()) {
                chosen.add(spot);
            } else {
                each.remove();
            }
        }
        return chosen.size() < ask.need().count().least()
                ? Optional.empty()
                : Optional.of(Planner.claims(ask, chosen));
    }
}
