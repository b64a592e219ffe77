package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Fact;
import dev.berth.port.FactReceiver;
import dev.berth.port.Failpoints;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.Test;

import java.time.InstantSource;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

class EngineLoopTest {

    private final MemoryStore store = new MemoryStore();
    private final AtomicReference<FactReceiver> node = new AtomicReference<>();

    /** The engine has time to decide the first fact before the second one is there. */
    @Test
    void factsThatAreReportedTogetherAreStoredTogether() throws Exception {
        var runningAlone = new CopyOnWriteArrayList<AttemptId>();
        try (var loop = EngineLoop.start(InstantSource.system(), this::recover)) {
            loop.onPublish(
                    state ->
                            state.attempts().values().toList().stream()
                                    .filter(one -> one.phase() instanceof Phase.Running)
                                    .forEach(one -> runningAlone.add(one.id())));
            var attempt = submit(loop);
            var facts = startAndEnd(attempt);
            var slow =
                    new AbstractList<Fact>() {
                        @Override
                        public Fact get(int index) {
                            if (index == 1) {
                                var _ = submit(loop);
                            }
                            return facts.get(index);
                        }

                        @Override
                        public int size() {
                            return facts.size();
                        }
                    };
            var stored = new CompletableFuture<Boolean>();
            node.get().accept(slow, () -> stored.complete(true));
            stored.get(3, TimeUnit.MINUTES);
            assertThat(store.find(attempt.task()).orElseThrow().task().state())
                    .isInstanceOf(TaskState.Completed.class);
        }
        assertThat(runningAlone).isEmpty();
    }

    private Engine recover(FactReceiver facts) throws Exception {
        node.set(facts);
        var parts =
                new Engine.Parts(
                        store,
                        new FakeNode(),
                        new Planner(SchedulingRules.DEFAULT),
                        Failpoints.NONE);
        return Engine.recover(parts, 0, InstantSource.system().instant());
    }

    private static AttemptId submit(EngineLoop loop) {
        var spec = TaskSpec.of("train", "true", Need.CPU, "/");
        var command =
                new EngineCommand.Submit(loop.now(), Owner.unix("ann"), spec, Optional.empty());
        var reply = (EngineReply.TaskAccepted) loop.ask(command).join();
        return new AttemptId(reply.task(), 1);
    }

    private static List<Fact> startAndEnd(AttemptId attempt) {
        var shim =
                new ShimProcess(
                        new ProcessKey("boot-1", 7, 7),
                        InstantSource.system().instant(),
                        Optional.empty());
        return List.of(
                new Fact.Started(attempt, shim),
                new Fact.Ended(attempt, new Ending.Exited(0), List.of()));
    }
}
