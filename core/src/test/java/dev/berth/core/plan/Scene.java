package dev.berth.core.plan;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.line.ByPriority;
import dev.berth.core.line.Order;
import dev.berth.core.line.People;
import dev.berth.core.line.Waiting;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Lane;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/** A moment put together by hand: cards of 100 MiB unless stated, tasks a second apart. */
final class Scene {

    static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    static final Instant NOW = T0.plus(Duration.ofHours(1));

    final TreeMap<String, Double> used = new TreeMap<>();
    Waiting waiting;
    PersistentMap<CardId, CardState> cards = PersistentMap.empty();
    PersistentMap<CardId, List<Hold>> holds = PersistentMap.empty();
    PersistentMap<CardId, List<AttemptId>> leaving = PersistentMap.empty();
    PersistentMap<CardId, Instant> releasedAt = PersistentMap.empty();
    PersistentMap<CardId, List<String>> loaded = PersistentMap.empty();
    Optional<WaitReason.Paused> pause = Optional.empty();
    final TreeSet<Long> spacing = new TreeSet<>();
    Instant now = NOW;
    int cpuTasks;

    Scene(Order order) {
        waiting = Waiting.nobody(order);
    }

    Scene() {
        this(new ByPriority(People.EQUAL));
    }

    Snapshot snapshot() {
        var fleet = new Fleet(cards, holds, leaving, releasedAt, loaded);
        return new Snapshot(now, waiting, fleet, used, cpuTasks, spacing, pause);
    }

    Task queue(long id, Priority priority, Need need) {
        return queue(id, "ann", TaskSpec.of("task " + id, "true", need, "/").with(priority));
    }

    Task queue(long id, Need need) {
        return queue(id, Priority.NORMAL, need);
    }

    Task queue(long id, String owner, TaskSpec spec) {
        var task = task(id, owner, spec);
        waiting = waiting.with(task);
        return task;
    }

    /** One of a command file's queue, whose run asks for several cards if the count says so. */
    Task lane(long id, Lane.OfRun lane, Need.Count count, long mib) {
        var need = new Need.Cards(count, Optional.empty(), Need.Memory.of(mib));
        var spec = TaskSpec.of("task " + id, "true", need, "/");
        return queue(id, "ann", spec.with(lane, OptionalInt.empty()));
    }

    static Task task(long id, String owner, TaskSpec spec) {
        return Task.queued(new TaskId(id), Owner.unix(owner), spec, T0.plusSeconds(id));
    }

    void card(int index, String model, long usedMib) {
        card(index, model, usedMib, 40);
    }

    void card(int index, String model, long usedMib, int temperature) {
        card(new Card(id(index), index, model, 100), 100 - usedMib, 0, temperature);
    }

    void card(Card card, long freeMib, int utilization, int temperature) {
        var reading =
                new Reading(
                        OptionalLong.of(card.totalMib() - freeMib),
                        OptionalLong.of(freeMib),
                        OptionalInt.of(utilization),
                        OptionalInt.of(temperature));
        cards = cards.with(card.id(), new CardState.Readable(card, reading));
    }

    void hold(int index, long task) {
        hold(index, task, 0, true);
    }

    void hold(int index, long task, long mib, boolean isExclusive) {
        var there = new ArrayList<>(holds.get(id(index)).orElse(List.of()));
        there.add(new Hold(attempt(task), new Claim(id(index), mib, isExclusive)));
        holds = holds.with(id(index), List.copyOf(there));
    }

    static AttemptId attempt(long task) {
        return new AttemptId(new TaskId(task), 1);
    }

    static CardId id(int index) {
        return new CardId("here", "GPU-%04d".formatted(index));
    }
}
