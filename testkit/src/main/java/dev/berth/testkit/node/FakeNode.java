package dev.berth.testkit.node;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.ShimProcess;
import dev.berth.port.Fact;
import dev.berth.port.Node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A node that records its calls and starts nothing. A test may read the records from any thread,
 * and may report any fact to the engine.
 */
public class FakeNode implements Node {

    public final List<AttemptId> launched = new CopyOnWriteArrayList<>();
    public final List<Call> calls = new CopyOnWriteArrayList<>();
    public final List<AttemptId> adopted = new CopyOnWriteArrayList<>();
    public final List<AttemptId> stopped = new CopyOnWriteArrayList<>();
    public final Map<AttemptId, ShimProcess> watched = new ConcurrentSkipListMap<>();
    public final List<AttemptId> forgotten = new CopyOnWriteArrayList<>();
    public final Map<AttemptId, Duration> limits = new ConcurrentSkipListMap<>();
    public final List<AttemptId> forced = new CopyOnWriteArrayList<>();
    public final List<GpuId> tested = new CopyOnWriteArrayList<>();

    /** If true, {@link #launch} throws. */
    public volatile boolean broken;

    private final String name;
    private final String bootId;
    private final Consumer<Fact> facts;

    /** Reports nothing to anyone. */
    public FakeNode() {
        this("here", "boot-1", _ -> {});
    }

    public FakeNode(String name, String bootId, Consumer<Fact> facts) {
        this.name = name;
        this.bootId = bootId;
        this.facts = facts;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String bootId() {
        return bootId;
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
    public void adopt(Attempt attempt, Optional<Duration> timeLimit, Optional<String> reportKey) {
        adopted.add(attempt.id());
        timeLimit.ifPresent(limit -> limits.put(attempt.id(), limit));
    }

    @Override
    public void call(Call order) {
        calls.add(order);
    }

    @Override
    public void testGpu(GpuId card) {
        tested.add(card);
    }

    @Override
    public void stop(AttemptId attempt) {
        stopped.add(attempt);
    }

    @Override
    public void watch(AttemptId attempt, ShimProcess process) {
        watched.put(attempt, process);
    }

    @Override
    public void forget(AttemptId attempt) {
        forgotten.add(attempt);
    }

    /** Reports a fact to the engine. */
    public final void observe(Fact fact) {
        facts.accept(fact);
    }
}
