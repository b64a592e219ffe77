package dev.berth.server;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Findings;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Node;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A host on which everything starts at once, runs until it is told to end, and stops when asked to.
 */
final class ScriptedNode implements Node {

    static final String MODEL = "Simulated 24G";
    static final long TOTAL_MIB = 24_000;

    private final Consumer<Fact> facts;

    ScriptedNode(Consumer<Fact> facts) {
        this.facts = facts;
    }

    @Override
    public String name() {
        return "here";
    }

    @Override
    public String bootId() {
        return "boot";
    }

    @Override
    public void launch(Launch order) {
        var process = new ProcessKey(bootId(), pid(order.attempt().id().task()), 1);
        facts.accept(
                new Fact.Started(
                        order.attempt().id(),
                        new Run(process, Instant.parse("2025-11-15T08:00:00.25Z"))));
    }

    @Override
    public void adopt(Attempt attempt, Optional<Duration> timeLimit) {
        facts.accept(new Fact.LostSight(attempt.id(), "not scripted"));
    }

    @Override
    public void stop(AttemptId attempt) {
        end(attempt, 143);
    }

    static long pid(TaskId task) {
        return 4000 + task.value();
    }

    void neverStarted(AttemptId attempt) {
        facts.accept(new Fact.Ended(attempt, new Ending.NeverStarted(), List.of()));
    }

    void end(AttemptId attempt, int code) {
        end(attempt, code, Findings.NONE);
    }

    void end(AttemptId attempt, int code, Findings findings) {
        facts.accept(new Fact.Ended(attempt, new Ending.Exited(code), List.of(), true, findings));
    }

    void observe(Fact fact) {
        facts.accept(fact);
    }

    void diskSpace(boolean isLow, long freeMib) {
        facts.accept(new Fact.DiskSpace(name(), isLow, freeMib));
    }

    /** All cards idle but for what is said of the first ones. */
    void read(int cards, long... usedMib) {
        facts.accept(
                new Fact.CardsRead(
                        name(),
                        IntStream.range(0, cards)
                                .mapToObj(
                                        index ->
                                                readable(
                                                        index,
                                                        index < usedMib.length
                                                                ? usedMib[index]
                                                                : 0))
                                .toList()));
    }

    void tell(CardState... states) {
        facts.accept(new Fact.CardsRead(name(), List.of(states)));
    }

    static CardState readable(int index, long usedMib) {
        return new CardState.Readable(
                card(index),
                new Reading(
                        OptionalLong.of(usedMib),
                        OptionalLong.of(TOTAL_MIB - usedMib),
                        OptionalInt.of(7),
                        OptionalInt.of(40 + index)));
    }

    static Card card(int index) {
        return new Card(new CardId("here", "GPU-" + index), index, MODEL, TOTAL_MIB);
    }
}
