package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Script;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What the engine keeps of its tasks in memory, and what it reads when a task starts. */
class QueueMemoryTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final MemoryStore store = new MemoryStore();
    private final List<String> commands = new ArrayList<>();
    private final FakeNode node =
            new FakeNode() {
                @Override
                public void launch(Launch order) {
                    super.launch(order);
                    commands.add(order.spec().script().text().command());
                }
            };

    private Engine engine(long maxTaskBytes) throws StoreFailure {
        var settings =
                new QueueSettings(
                        QueueSettings.DEFAULT.order(),
                        Integer.MAX_VALUE,
                        Duration.ofDays(1),
                        Duration.ofSeconds(1),
                        AttemptSettings.DEFAULT,
                        maxTaskBytes);
        var planner = new Planner(SchedulingRules.DEFAULT);
        return Engine.recover(
                new Engine.Parts(store, node, planner, settings, Failpoints.NONE), 0, NOON);
    }

    private static EngineReply ask(Engine engine, EngineCommand command) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), command.at());
        return replies.getFirst();
    }

    /** The first task of the lane starts, the others wait. */
    private static EngineCommand.Submit submit(String command) {
        var spec =
                TaskSpec.of("name", command, Need.CPU, new String("/home/ann"))
                        .with(new Lane.Named("a"), OptionalInt.empty());
        return new EngineCommand.Submit(NOON, ANN, spec, Optional.empty());
    }

    @Test
    void theStateHasNoTextAndAStartReadsItFromTheStore() throws StoreFailure {
        var engine = engine(Long.MAX_VALUE);
        ask(engine, submit("echo start"));
        ask(engine, submit("echo wait"));

        assertThat(commands).containsExactly("echo start");
        assertThat(engine.state().tasks().values())
                .allMatch(task -> task.spec().script() instanceof Script.Stored);
        assertThat(store.script(new TaskId(2)).orElseThrow().command()).isEqualTo("echo wait");
        endFirst(engine);
        assertThat(commands).containsExactly("echo start", "echo wait");
    }

    private static void endFirst(Engine engine) {
        var ended =
                new Fact.Ended(new AttemptId(new TaskId(1), 1), new Ending.Exited(0), List.of());
        ask(engine, new EngineCommand.Observe(NOON, ended));
    }

    @Test
    void aStartWhoseScriptCannotBeReadIsTriedAgain() throws StoreFailure {
        var engine = engine(Long.MAX_VALUE);
        // The engine keeps short ones for a while.
        var late = "echo late #" + "x".repeat(4096);
        ask(engine, submit("echo first"));
        ask(engine, submit(late));
        store.failNextScripts(1);
        endFirst(engine);
        assertThat(commands).containsExactly("echo first");
        assertThat(engine.due()).isEqualTo(NOON.plusSeconds(1));

        engine.run(
                List.of(new Engine.Envelope(new EngineCommand.Tick(engine.due()), _ -> {})),
                engine.due());
        assertThat(commands).containsExactly("echo first", late);
    }

    @Test
    void tasksBeyondTheMemoryAreRefusedWithTheNumbers() throws StoreFailure {
        var engine = engine(1 << 20);
        int accepted = 0;
        EngineReply reply;
        do {
            reply = ask(engine, submit("sleep 1"));
            accepted++;
        } while (reply instanceof EngineReply.TaskAccepted);

        var why = ((EngineReply.Refused) reply).rejection();
        assertThat(why.code()).isEqualTo("queue.memory_full");
        assertThat(why.params()).containsEntry("max_mib", "1").containsEntry("used_mib", "1");
        assertThat(engine.state().tasks().size()).isEqualTo(accepted - 1).isGreaterThan(1000);

        ask(engine, new EngineCommand.Cancel(NOON, ANN, new TaskId(2)));
        assertThat(ask(engine, submit("sleep 1"))).isInstanceOf(EngineReply.TaskAccepted.class);
        assertThat(engine(1 << 20).state().taskBytes()).isEqualTo(engine.state().taskBytes());
    }

    @Test
    void waitingTasksShareTheirEqualParts() throws StoreFailure {
        var engine = engine(Long.MAX_VALUE);
        ask(engine, submit("sleep 0"));
        ask(engine, submit("sleep 1"));
        ask(engine, submit("sleep 2"));

        var first = engine.state().tasks().get(new TaskId(2)).orElseThrow().spec();
        var second = engine.state().tasks().get(new TaskId(3)).orElseThrow().spec();
        assertThat(second.requirements()).isSameAs(first.requirements());
        assertThat(second.script().workDir()).isSameAs(first.script().workDir());
        assertThat(second.script().commandHash()).isNotEqualTo(first.script().commandHash());
    }
}
