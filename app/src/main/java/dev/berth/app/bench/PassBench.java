package dev.berth.app.bench;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.line.FairShare;
import dev.berth.core.line.Order;
import dev.berth.core.line.People;
import dev.berth.core.line.Waiting;
import dev.berth.core.plan.BestScore;
import dev.berth.core.plan.Fleet;
import dev.berth.core.plan.Hold;
import dev.berth.core.plan.Passing;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Rules;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Devices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** What one pass of the planner takes, by how many tasks wait and how many cards are free. */
final class PassBench {

    private static final int CARDS = 1000;
    private static final int SHAPES = 50;
    private static final int USERS = 20;
    private static final int WARM_UP = 300;
    private static final int PASSES = 1000;
    private static final long CARD_MIB = 81_920;
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final Order order = new FairShare(People.EQUAL);

    /** Passes over a short and a long queue, in turns, so that both see the same machine. */
    record Result(Spread few, Spread many, int starts) {}

    /**
     * @param free cards that nobody holds
     * @param passing who may pass a head that waits: greedy looks at every shape
     */
    Result run(int few, int many, int free, Passing passing) {
        var planner = new Planner(Rules.USUAL, passing, new BestScore());
        var fleet = fleet(free);
        var shortQueue = snapshot(few, fleet);
        var longQueue = snapshot(many, fleet);
        int starts = 0;
        for (int i = 0; i < WARM_UP; i++) {
            starts = planner.pass(shortQueue).starts().size();
            starts = Math.max(starts, planner.pass(longQueue).starts().size());
        }
        var millis = new double[2][PASSES];
        for (int i = 0; i < PASSES; i++) {
            millis[0][i] = time(planner, shortQueue);
            millis[1][i] = time(planner, longQueue);
        }
        return new Result(Spread.of(millis[0]), Spread.of(millis[1]), starts);
    }

    private static double time(Planner planner, Snapshot snapshot) {
        long begin = System.nanoTime();
        var _ = planner.pass(snapshot);
        return (System.nanoTime() - begin) / 1e6;
    }

    private Snapshot snapshot(int tasks, Fleet fleet) {
        var waiting = Waiting.nobody(order);
        for (int id = 1; id <= tasks; id++) {
            var spec = TaskSpec.of("task", "true", need(id % SHAPES), "/");
            var owner = Owner.unix("user-" + id % USERS);
            var task = Task.queued(new TaskId(id), owner, spec, NOW.plusNanos(id * 1000L));
            waiting = waiting.with(task);
        }
        return new Snapshot(NOW, waiting, fleet, new TreeMap<>(), 0, Optional.empty());
    }

    /** Half of the shapes leave the choice of cards to Berth, half name theirs. */
    private static Need need(int shape) {
        if (shape % 2 == 0) {
            return new Need.Cards(
                    Need.Count.of(1 + shape % 4),
                    Optional.empty(),
                    Need.Memory.of(1000L + 100 * shape));
        }
        var devices = Devices.of(shape * 7 % CARDS, shape * 11 % CARDS);
        return Need.Cards.on(devices, Optional.empty(), Need.Memory.UNSTATED);
    }

    private static Fleet fleet(int free) {
        PersistentMap<CardId, CardState> cards = PersistentMap.empty();
        PersistentMap<CardId, List<Hold>> holds = PersistentMap.empty();
        for (int index = 0; index < CARDS; index++) {
            var card = new Card(new CardId("here", "GPU-" + index), index, "A", CARD_MIB);
            cards = cards.with(card.id(), new CardState.Readable(card, reading(index)));
            if (index >= free) {
                var attempt = new AttemptId(new TaskId(1_000_000L + index), 1);
                holds =
                        holds.with(
                                card.id(),
                                List.of(new Hold(attempt, new Claim(card.id(), 0, true))));
            }
        }
        var nothing = Fleet.of(cards);
        return new Fleet(cards, holds, nothing.leaving(), nothing.releasedAt(), nothing.loaded());
    }

    private static Reading reading(int index) {
        return new Reading(
                OptionalLong.of(0),
                OptionalLong.of(CARD_MIB),
                OptionalInt.of(0),
                OptionalInt.of(30 + index % 50));
    }
}
