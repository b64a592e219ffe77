package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Attempts that Berth cannot observe or cannot end: what is reported, and what a person may decide.
 */
class LostAttemptTest {

    private static final Owner ANN = Owner.unix("ann");

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;
    private AttemptId id;

    @BeforeEach
    void oneTaskRunsAndOneWaits() throws StoreFailure {
        engine = recover();
        readGpu(List.of());
        id = new AttemptId(submit(), 1);
        submit();
        observe(new Fact.Started(id, shim(100)));
    }

    private Engine recover() throws StoreFailure {
        return Engine.recover(
                new Engine.Parts(
                        store, node, new Planner(SchedulingRules.DEFAULT), Failpoints.NONE),
                0,
                now);
    }

    @Test
    void oneAlertTellsOfALossAndOneOfItsEnd() throws StoreFailure {
        observe(new Fact.Lost(id, "unreadable"));
        observe(new Fact.Lost(id, "unreadable"));
        observe(new Fact.Lost(id, "still unreadable"));
        assertThat(kinds("alert.")).containsExactly("alert.attempt_lost");
        assertThat(kinds("attempt.lost")).hasSize(2);

        observe(new Fact.Adopted(id, shim(100)));
        assertThat(phase()).isInstanceOf(Phase.Running.class);
        assertThat(kinds("alert.")).containsExactly("alert.attempt_lost", "alert.attempt_found");
    }

    @Test
    void aRestartTellsOfTheSameLossNotAgain() throws StoreFailure {
        observe(new Fact.Lost(id, "unreadable"));
        engine = recover();
        observe(new Fact.Lost(id, "unreadable"));
        assertThat(kinds("alert.")).containsExactly("alert.attempt_lost");
    }

    @Test
    void oneAlertTellsThatItCannotBeEnded() throws StoreFailure {
        ask(new EngineCommand.Cancel(now, ANN, id.task()));
        observe(new Fact.Stuck(id, "python (pid 7)"));
        observe(new Fact.Stuck(id, "python (pid 7)"));
        assertThat(kinds("alert.")).containsExactly("alert.attempt_stuck");
        observe(new Fact.Ended(id, new Ending.Vanished(), List.of()));
        assertThat(kinds("alert."))
                .containsExactly("alert.attempt_stuck", "alert.attempt_released");
    }

    @Test
    void aStopThatCannotBeCarriedOutIsTold() throws StoreFailure {
        ask(new EngineCommand.Cancel(now, ANN, id.task()));
        node.stopped.clear();
        observe(new Fact.Lost(id, "its directory cannot be read"));
        assertThat(phase()).isInstanceOf(Phase.Stuck.class);
        assertThat(node.stopped).as("the node goes on by itself").isEmpty();
        observe(new Fact.Ended(id, new Ending.Exited(0), List.of()));
        assertThat(taskState()).isInstanceOf(TaskState.Cancelled.class);
    }

    @Test
    void healthAndTheWaitReasonNameTheWayOut() {
        observe(new Fact.Lost(id, "unreadable"));
        assertThat(engine.problems())
                .containsExactly(
                        "Task 1 is lost (unreadable) and holds GPU 0: berth resolve 1"
                                + " ended|running|requeue");
        assertThat(refusal()).isEqualTo(new Refusal.HeldByLost(id));
        observe(new Fact.Stuck(id, "python"));
        assertThat(refusal()).isEqualTo(new Refusal.HeldByStuck(id));
        assertThat(engine.problems()).singleElement().asString().contains("cannot be ended");
        observe(new Fact.Ended(id, new Ending.Vanished(), List.of()));
        assertThat(engine.problems()).isEmpty();
    }

    @Test
    void resolvedAsEndedItHasFailedAndItsGpuIsFreeOnceAReadingShowsIt() throws StoreFailure {
        observe(new Fact.Lost(id, "unreadable"));
        assertThat(resolve(new Resolution.Ended())).isInstanceOf(EngineReply.TaskAccepted.class);
        assertThat(taskState())
                .isEqualTo(
                        new TaskState.Failed(
                                now, "ended with no exit code: ann resolved it as ended"));
        assertThat(node.forgotten).containsExactly(id);
        assertThat(node.launched).containsExactly(id);
        readGpu(List.of(new Fact.Departure(id, true)));
        assertThat(node.launched).containsExactly(id, new AttemptId(new TaskId(2), 1));
        var resolved = events("attempt.resolved").getFirst();
        assertThat(resolved.actor()).isEqualTo(ANN);
        assertThat(kinds("alert.")).containsExactly("alert.attempt_lost", "alert.attempt_released");
    }

    @Test
    void resolvedAsRequeueItGetsANewAttempt() throws StoreFailure {
        observe(new Fact.Lost(id, "unreadable"));
        resolve(new Resolution.Requeue());
        readGpu(List.of(new Fact.Departure(id, true)));
        assertThat(node.launched).last().isEqualTo(new AttemptId(id.task(), 2));
        observe(new Fact.Adopted(id, shim(100)));
        assertThat(engine.state().attempts().contains(id)).as("a late report").isFalse();
    }

    @Test
    void resolvedAsRunningTheNamedProcessIsWatched() {
        observe(new Fact.Lost(id, "unreadable"));
        resolve(new Resolution.Running(shim(4711)));
        assertThat(node.watched).containsEntry(id, shim(4711));
        assertThat(phase()).isInstanceOf(Phase.Lost.class);
        observe(new Fact.Adopted(id, shim(4711)));
        assertThat(phase()).isEqualTo(new Phase.Running(shim(4711)));
    }

    @Test
    void onlyALostOrStuckAttemptCanBeResolved() {
        assertThat(resolve(new Resolution.Ended())).isInstanceOf(EngineReply.Refused.class);
        ask(new EngineCommand.Cancel(now, ANN, id.task()));
        assertThat(resolve(new Resolution.Requeue())).isInstanceOf(EngineReply.Refused.class);
        observe(new Fact.Stuck(id, "python"));
        assertThat(resolve(new Resolution.Running(shim(1))))
                .isInstanceOf(EngineReply.Refused.class);
        assertThat(resolve(new Resolution.Ended())).isInstanceOf(EngineReply.TaskAccepted.class);
        assertThat(resolve(new Resolution.Ended())).isInstanceOf(EngineReply.Refused.class);
    }

    private EngineReply resolve(Resolution as) {
        return ask(new EngineCommand.Resolve(now, ANN, id, as, false));
    }

    private Phase phase() {
        return engine.state().attempts().get(id).orElseThrow().phase();
    }

    private TaskState taskState() throws StoreFailure {
        return store.find(id.task()).orElseThrow().task().state();
    }

    private Refusal refusal() {
        var waiting = engine.state().tasks().get(new TaskId(2)).orElseThrow();
        var wait = (Verdict.Wait) engine.why(waiting, now);
        return ((WaitReason.NotEnoughGpus) wait.reasons().getFirst())
                .refused()
                .getFirst()
                .refusal();
    }

    private List<Event> events(String prefix) throws StoreFailure {
        return store.eventsAfter(0, 1000).stream()
                .filter(event -> event.kind().startsWith(prefix))
                .toList();
    }

    private List<String> kinds(String prefix) throws StoreFailure {
        return events(prefix).stream().map(Event::kind).toList();
    }

    private TaskId submit() {
        var spec = TaskSpec.of("train", "true", Need.gpus(1), "/");
        var reply = ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty()));
        return ((EngineReply.TaskAccepted) reply).task();
    }

    private EngineReply ask(EngineCommand command) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void observe(Fact fact) {
        ask(new EngineCommand.Observe(now, fact));
    }

    private void readGpu(List<Fact.Departure> departures) {
        var gpu = new Gpu(new GpuId("here", "GPU-0"), 0, "Simulated", 24_576);
        var reading =
                new GpuReading(
                        OptionalLong.of(0),
                        OptionalLong.of(24_576),
                        OptionalInt.of(0),
                        OptionalInt.of(40));
        observe(
                new Fact.GpusRead(
                        "here",
                        List.of(new GpuState.Readable(gpu, reading)),
                        departures,
                        Optional.empty()));
    }

    private ShimProcess shim(long pid) {
        return new ShimProcess(new ProcessKey("boot-1", pid, 1000), now);
    }
}
