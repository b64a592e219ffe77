package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.plan.WaitReason.CardRefused;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Decides who starts where. Order is {@code priority}, passing is {@code off} (a head that waits
 * keeps its turn, and only its own line waits with it), placement is {@code best_score}.
 */
public final class Planner {

    private static final Comparator<CardState> BEST_FIRST =
            Comparator.comparingDouble((CardState state) -> -Score.of(state).total())
                    .thenComparingInt(state -> state.card().index())
                    .thenComparing(state -> state.card().id());

    private final List<Constraint> constraints;

    public Planner(List<Constraint> constraints) {
        this.constraints = List.copyOf(constraints);
    }

    /** One verdict for each task that was looked at, in the order of looking. */
    public List<Verdict> pass(Snapshot snapshot) {
        var verdicts = new ArrayList<Verdict>();
        var now = snapshot;
        var heads = heads(snapshot.waiting());
        while (!heads.isEmpty()) {
            var line = heads.remove();
            var verdict = judge(line.head(), now);
            verdicts.add(verdict);
            switch (verdict) {
                case Verdict.Start start -> {
                    now = now.with(start);
                    line.next().ifPresent(heads::add);
                }
                case Verdict.Wait wait -> {
                    if (!wait.keepsItsTurn()) {
                        line.next().ifPresent(heads::add);
                    }
                }
            }
        }
        return verdicts;
    }

    /** What a pass says of one waiting task, also when it stands too far back to be looked at. */
    public Verdict why(Snapshot snapshot, Task task) {
        var verdicts = pass(snapshot);
        for (var verdict : verdicts) {
            if (verdict.task().equals(task.id())) {
                return verdict;
            }
        }
        var after = snapshot;
        var reasons = new ArrayList<WaitReason>();
        for (var verdict : verdicts) {
            switch (verdict) {
                case Verdict.Start start -> after = after.with(start);
                case Verdict.Wait wait -> {
                    if (wait.keepsItsTurn() && sharesLine(wait, task, snapshot)) {
                        reasons.add(
                                new WaitReason.Behind(
                                        wait.task(), snapshot.waiting().position(task).orElse(0)));
                    }
                }
            }
        }
        if (judge(task, after) instanceof Verdict.Wait own) {
            reasons.addAll(own.reasons());
        }
        return new Verdict.Wait(task.id(), reasons);
    }

    private static boolean sharesLine(Verdict.Wait wait, Task task, Snapshot snapshot) {
        return snapshot.waiting()
                .line(LineId.of(task.spec().need()))
                .values()
                .anyMatch(other -> other.id().equals(wait.task()));
    }

    /** How many known cards could serve such a need if nobody held or used them. */
    public int suitable(Need.Cards need, PersistentMap<?, CardState> cards) {
        return (int)
                cards.values()
                        .filter(
                                card ->
                                        refusal(need, Spot.unheld(card)).stream()
                                                .noneMatch(Refusal::isForEver))
                        .count();
    }

    private Verdict judge(Task task, Snapshot now) {
        if (now.pause().isPresent()) {
            return new Verdict.Wait(task.id(), List.of(now.pause().get()));
        }
        return switch (task.spec().need()) {
            case Need.Cpu _ -> new Verdict.Start(task.nextAttempt(), List.of());
            case Need.Cards need -> judge(task, need, now);
        };
    }

    private Verdict judge(Task task, Need.Cards need, Snapshot now) {
        var feasible = new ArrayList<CardState>();
        var refused = new ArrayList<CardRefused>();
        now.cards()
                .values()
                .forEach(
                        state ->
                                refusal(need, now.spot(state))
                                        .ifPresentOrElse(
                                                refusal ->
                                                        refused.add(
                                                                new CardRefused(
                                                                        state.card(), refusal)),
                                                () -> feasible.add(state)));
        if (feasible.size() >= need.count()) {
            feasible.sort(BEST_FIRST);
            return new Verdict.Start(
                    task.nextAttempt(), claims(need, feasible.subList(0, need.count())));
        }
        refused.sort(Comparator.comparingInt(one -> one.card().index()));
        long hopeless = refused.stream().filter(one -> one.refusal().isForEver()).count();
        int suitable = (int) (now.cards().size() - hopeless);
        var reason =
                suitable < need.count()
                        ? new WaitReason.Impossible(need.count(), suitable, refused)
                        : new WaitReason.CardsShort(need.count(), feasible.size(), refused);
        return new Verdict.Wait(task.id(), List.of(reason));
    }

    /** Why this card cannot be given to such a need. */
    public Optional<Refusal> refusal(Need.Cards need, Spot spot) {
        for (var constraint : constraints) {
            var refusal = constraint.refuses(need, spot);
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        return Optional.empty();
    }

    private static List<Claim> claims(Need.Cards need, List<CardState> chosen) {
        return chosen.stream()
                .map(CardState::card)
                .sorted(Comparator.comparingInt(card -> card.index()))
                .map(card -> new Claim(card.id(), need.memoryMib().orElse(0), true))
                .toList();
    }

    private static PriorityQueue<Place> heads(Waiting waiting) {
        var heads = new PriorityQueue<Place>(Comparator.comparing(Place::rank));
        waiting.lines().values().forEach(line -> Place.first(line).ifPresent(heads::add));
        return heads;
    }

    /** How far a pass has come in one line. */
    private record Place(Rank rank, Task head, Iterator<Map.Entry<Rank, Task>> behind) {

        static Optional<Place> first(PersistentMap<Rank, Task> line) {
            return at(line.iterator());
        }

        Optional<Place> next() {
            return at(behind);
        }

        private static Optional<Place> at(Iterator<Map.Entry<Rank, Task>> rest) {
            if (!rest.hasNext()) {
                return Optional.empty();
            }
            var entry = rest.next();
            return Optional.of(new Place(entry.getKey(), entry.getValue(), rest));
        }
    }
}
