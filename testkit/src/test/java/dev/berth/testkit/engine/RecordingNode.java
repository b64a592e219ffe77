package dev.berth.testkit.engine;

import dev.berth.core.card.CardId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.engine.port.Node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A node that does nothing but remember what it was told. */
final class RecordingNode implements Node {

    final List<AttemptId> launched = new ArrayList<>();
    final List<AttemptId> adopted = new ArrayList<>();
    final List<AttemptId> stopped = new ArrayList<>();
    final Map<AttemptId, Duration> limits = new TreeMap<>();
    final List<AttemptId> forced = new ArrayList<>();
    final List<CardId> tested = new ArrayList<>();
    boolean broken;

    @Override
    public String name() {
        return "here";
    }

    @Override
    public String bootId() {
        return "boot-1";
    }

    @Override
    public void launch(Launch order) {
        if (broken) {
            throw new IllegalStateException("broken on purpose");
        }
        launched.add(order.attempt().id());
        if (order.terms().isForced()) {
            forced.add(order.attempt().id());
        }
    }

    @Override
    public void adopt(Attempt attempt, Optional<Duration> timeLimit) {
        adopted.add(attempt.id());
        timeLimit.ifPresent(limit -> limits.put(attempt.id(), limit));
    }

    @Override
    public void test(CardId card) {
        tested.add(card);
    }

    @Override
    public void stop(AttemptId attempt) {
        stopped.add(attempt);
    }
}
