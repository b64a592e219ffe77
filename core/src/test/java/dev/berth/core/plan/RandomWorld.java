package dev.berth.core.plan;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.line.ByPriority;
import dev.berth.core.line.FairShare;
import dev.berth.core.line.Fifo;
import dev.berth.core.line.Order;
import dev.berth.core.line.People;
import dev.berth.core.line.ShortestFirst;
import dev.berth.core.task.Devices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Priority;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/** A moment that a seed makes up: a few cards in every state there is, and tasks of all kinds. */
final class RandomWorld {

    private static final List<String> USERS = List.of("ann", "bob", "cid");

    final Planner planner;
    final Scene scene;
    private final Random random;
    private final int cards;

    RandomWorld(long seed) {
        random = new Random(seed);
        scene = new Scene(order());
        cards = random.nextInt(7);
        planner = new Planner(rules(), new Passing.Off(), placement());
        for (int index = 0; index < cards; index++) {
            card(index);
        }
        int tasks = random.nextInt(14);
        for (int id = 1; id <= tasks; id++) {
            scene.queue(id, USERS.get(random.nextInt(USERS.size())), spec(id));
        }
        for (var user : USERS) {
            scene.used.put("unix:" + user, (double) random.nextInt(300));
        }
        scene.cpuTasks = random.nextInt(3);
    }

    private Order order() {
        var people =
                new People(
                        new TreeMap<>(
                                Map.of(
                                        "bob", new People.Standing(2, false),
                                        "cid", new People.Standing(1, random.nextInt(4) == 0))));
        return switch (random.nextInt(4)) {
            case 0 -> new ByPriority(people);
            case 1 -> new FairShare(people);
            case 2 -> new Fifo();
            default -> new ShortestFirst();
        };
    }

    private Placement placement() {
        return Placement.all(ModelCache.USUAL).get(random.nextInt(3));
    }

    private Rules rules() {
        var reserved = new TreeSet<Integer>();
        if (random.nextInt(5) == 0) {
            reserved.add(random.nextInt(7));
        }
        return new Rules(
                random.nextBoolean() ? 20 : 50,
                random.nextBoolean() ? Foreign.YIELD : Foreign.FIT,
                new Pool(Optional.empty(), reserved),
                new Estimates(new TreeMap<>(Map.of("m", 1000L)), random.nextInt(3) * 1000L),
                ModelCache.USUAL,
                random.nextInt(3) == 0
                        ? OptionalInt.of(1 + random.nextInt(3))
                        : OptionalInt.empty(),
                LaneRules.USUAL);
    }

    private void card(int index) {
        var card =
                new Card(
                        Scene.id(index),
                        index,
                        random.nextInt(3) == 0 ? "B" : "A",
                        (1 + random.nextInt(3)) * 8000L);
        scene.cards = scene.cards.with(card.id(), state(card));
        if (random.nextInt(4) == 0) {
            scene.hold(index, 100 + index);
        } else if (random.nextInt(4) == 0) {
            scene.hold(index, 100 + index, 2000, false);
            if (random.nextBoolean()) {
                scene.hold(index, 200 + index, 1000, false);
            }
        }
        if (random.nextInt(8) == 0) {
            scene.leaving = scene.leaving.with(card.id(), List.of(Scene.attempt(300 + index)));
        }
        if (random.nextInt(3) == 0) {
            scene.loaded = scene.loaded.with(card.id(), List.of("m"));
        }
    }

    private CardState state(Card card) {
        if (random.nextInt(8) == 0) {
            return new CardState.Unknown(card, "no answer");
        }
        if (random.nextInt(12) == 0) {
            return new CardState.Failed(card, "gone");
        }
        long used = random.nextInt(3) == 0 ? random.nextLong(card.totalMib()) : 0;
        var reading =
                new Reading(
                        OptionalLong.of(used),
                        OptionalLong.of(card.totalMib() - used),
                        OptionalInt.of(random.nextInt(101)),
                        OptionalInt.of(30 + random.nextInt(60)));
        return new CardState.Readable(card, reading.with(Optional.of(occupants(used))));
    }

    private List<Occupant> occupants(long used) {
        if (used == 0 || random.nextInt(3) > 0) {
            return List.of();
        }
        return List.of(
                new Occupant(
                        42,
                        OptionalLong.of(used),
                        Occupant.Kind.COMPUTE,
                        "python",
                        new Whose.User("eve", false),
                        Optional.empty()));
    }

    private TaskSpec spec(int id) {
        var spec =
                TaskSpec.of("task " + id, "true", need(), "/")
                        .with(Priority.values()[random.nextInt(4)]);
        if (random.nextInt(3) == 0) {
            spec = spec.with(Duration.ofMinutes(1 + random.nextInt(5)));
        }
        return random.nextInt(4) == 0
                ? spec.with(new ModelWork(Optional.of("m"), Optional.empty(), 0))
                : spec;
    }

    private Need need() {
        var type = random.nextInt(6) == 0 ? Optional.of("B") : Optional.<String>empty();
        return switch (random.nextInt(6)) {
            case 0 -> Need.CPU;
            case 1 -> {
                var indices = new TreeSet<Integer>();
                indices.add(random.nextInt(7));
                if (random.nextBoolean()) {
                    indices.add(random.nextInt(7));
                }
                yield Need.Cards.on(new Devices(indices), type, memory());
            }
            default -> {
                int least = 1 + random.nextInt(3);
                yield new Need.Cards(
                        new Need.Count(least, least + random.nextInt(2)), type, memory());
            }
        };
    }

    private Need.Memory memory() {
        return switch (random.nextInt(4)) {
            case 0 -> Need.Memory.of(random.nextInt(20_000));
            case 1 -> Need.Memory.shared(500 + random.nextInt(6000));
            default -> Need.Memory.UNSTATED;
        };
    }
}
