package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuFault;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.Model;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Backoff;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/** Workers keep models loaded, and the engine decides when they start and end. */
class WorkersTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final Duration IDLE = Duration.ofMinutes(10);

    private final MemoryStore store = new MemoryStore();
    private FakeNode node = new FakeNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    private void start(boolean isPrewarmed) throws StoreFailure {
        node = new FakeNode();
        var settings =
                new AttemptSettings(
                        Backoff.DEFAULT,
                        OptionalInt.empty(),
                        Duration.ZERO,
                        Duration.ofMinutes(1),
                        models(isPrewarmed));
        var queue =
                new QueueSettings(
                        QueueSettings.DEFAULT.order(),
                        100,
                        Duration.ofDays(1),
                        Duration.ofSeconds(1),
                        settings);
        engine =
                Engine.recover(
                        new Engine.Parts(
                                store,
                                node,
                                new Planner(SchedulingRules.DEFAULT),
                                queue,
                                Failpoints.NONE),
                        0,
                        now);
        observe(new Fact.DiskSpaceRead("here", false, 1000));
        observe(new Fact.GpusRead("here", List.of(ScriptedNode.readable(0, 0))));
    }

    private static SortedMap<String, Model> models(boolean isPrewarmed) {
        var models = new TreeMap<String, Model>();
        for (var name : List.of("mace", "chgnet")) {
            models.put(
                    name,
                    new Model(
                            name,
                            "worker",
                            6000,
                            isPrewarmed && name.equals("mace"),
                            Collections.emptySortedMap(),
                            "/",
                            Optional.of(IDLE)));
        }
        return models;
    }

    @Test
    void aModelIsLoadedAheadOfItsTasks() throws StoreFailure {
        start(true);

        var worker = worker();
        assertThat(node.launched).containsExactly(worker.id());
        assertThat(worker.model()).isEqualTo("mace");
        assertThat(engine.state().holds().isEmpty()).as("others may use the GPU").isTrue();
        ready(worker.id());
        var task = submit("mace");
        assertThat(node.launched).hasSize(1);
        assertThat(node.calls).extracting(call -> call.attempt().task()).containsExactly(task);
        assertThat(engine.state().sinceStart().workers().model("mace").uses().hits()).isOne();
    }

    @Test
    void anUnusedWorkerIsUnloaded() throws StoreFailure {
        start(true);
        ready(worker().id());

        pass(IDLE.minusSeconds(1));
        assertThat(node.stopped).isEmpty();
        assertThat(engine.due()).isBeforeOrEqualTo(now.plusSeconds(1));
        pass(Duration.ofSeconds(1));
        assertThat(node.stopped).containsExactly(worker().id());
        assertThat(worker().status()).isEqualTo(WarmWorker.Status.STOPPING);
    }

    @Test
    void whatAWorkerRunsEndsWithItAndNotBefore() throws StoreFailure {
        start(false);
        var task = submit("mace");
        var worker = worker().id();
        ready(worker);

        observe(new Fact.WorkerFailed(worker, Fact.WorkerFault.PROTOCOL, "prints anything"));
        assertThat(node.stopped).containsExactly(worker);
        assertThat(state(task)).isInstanceOf(TaskState.Running.class);
        ended(worker, new Ending.Exited(143));
        assertThat(state(task))
                .isEqualTo(new TaskState.Failed(now, "Worker offline: prints anything"));
        assertThat(engine.state().sinceStart().workers().workers().isEmpty()).isTrue();
    }

    @Test
    void aTaskWhoseWorkerCouldNotBeStartedGoesBackToTheQueue() throws StoreFailure {
        start(false);
        var task = submit("mace");

        ended(worker().id(), new Ending.NeverStarted());

        assertThat(state(task)).isInstanceOf(TaskState.Running.class);
        assertThat(engine.state().tasks().get(task).orElseThrow().attempts()).isEqualTo(2);
        assertThat(node.launched).hasSize(2);
    }

    @Test
    void aNewServerEndsTheWorkersOfTheOldOneFirst() throws StoreFailure {
        start(false);
        var task = submit("mace");
        var old = worker().id();
        ready(old);

        start(false);
        assertThat(node.adopted).as("a call has no process of its own").containsExactly(old);
        var waiting = submit("mace");
        assertThat(node.launched).isEmpty();
        assertThat(state(task)).isInstanceOf(TaskState.Running.class);
        observe(new Fact.Adopted(old, process()));
        assertThat(node.stopped).containsExactly(old);
        ended(old, new Ending.Exited(143));

        assertThat(state(task)).isInstanceOf(TaskState.Failed.class);
        assertThat(state(waiting)).isInstanceOf(TaskState.Running.class);
        assertThat(node.launched).hasSize(1);
    }

    @Test
    void aGpuThatFailedKeepsNoWorker() throws StoreFailure {
        start(true);
        ready(worker().id());

        observe(
                new Fact.GpuFaultFound(
                        ScriptedNode.card(0).id(), GpuFault.Kind.XID, "it fell off the bus"));

        assertThat(node.stopped).containsExactly(worker().id());
    }

    @Test
    void aWorkerIsUnloadedAndNotCancelled() throws StoreFailure {
        start(true);
        var task = worker().id().task();

        assertThat(ask(new EngineCommand.Cancel(now, ANN, task)))
                .isInstanceOf(EngineReply.Refused.class);
        assertThat(ask(new EngineCommand.UnloadModel(now, ANN, "mace", OptionalInt.empty())))
                .isInstanceOf(EngineReply.Done.class);
        assertThat(node.stopped).hasSize(1);
    }

    @Test
    void aModelOfTheConfigurationIsNotChangedByARequest() throws StoreFailure {
        start(false);
        var model = models(false).get("mace");

        assertThat(ask(new EngineCommand.SaveModel(now, ANN, model)))
                .isInstanceOf(EngineReply.Refused.class);
        assertThat(ask(new EngineCommand.RemoveModel(now, ANN, "mace")))
                .isInstanceOf(EngineReply.Refused.class);
    }

    @Test
    void aModelThatIsSetAsideBlocksNoOtherTask() throws StoreFailure {
        start(false);
        for (int i = 0; i < 3; i++) {
            submit("mace");
            ended(worker().id(), new Ending.Exited(1));
            pass(Duration.ofMinutes(1));
        }
        var first = submit("mace");
        var second = submit("chgnet");

        assertThat(state(first)).isInstanceOf(TaskState.Queued.class);
        assertThat(state(second)).isInstanceOf(TaskState.Running.class);
    }

    @Test
    void aNewModelIsLoadedWithTheMemoryItStates() throws StoreFailure {
        start(false);
        var model =
                new Model(
                        "new",
                        "worker",
                        7000,
                        true,
                        Collections.emptySortedMap(),
                        "/",
                        Optional.empty());

        assertThat(ask(new EngineCommand.SaveModel(now, ANN, model)))
                .isInstanceOf(EngineReply.Done.class);

        assertThat(worker().memoryMib()).isEqualTo(7000);
    }

    @Test
    void aModelOfAUserServesThatUsersTasksWithWorkersOfThatUser() throws StoreFailure {
        start(false);
        var runAs = new RunAs("bob", 1001, Optional.empty());
        var bob = Owner.unix("bob");
        assertThat(ask(new EngineCommand.SaveModel(now, bob, modelOf(bob, runAs))))
                .isInstanceOf(EngineReply.Done.class);
        var spec = call("own");

        assertThat(ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty())))
                .isInstanceOfSatisfying(
                        EngineReply.Refused.class,
                        refused ->
                                assertThat(refused.rejection().code()).isEqualTo("model.of_other"));
        assertThat(ask(new EngineCommand.Submit(now, bob, spec, Optional.empty())))
                .isInstanceOf(EngineReply.TaskAccepted.class);
        var worker = engine.state().tasks().get(worker().id().task()).orElseThrow();
        assertThat(worker.owner()).isEqualTo(bob);
    }

    @Test
    void aModelDoesNotChangeItsOwner() throws StoreFailure {
        start(false);
        var bob = Owner.unix("bob");
        ask(
                new EngineCommand.SaveModel(
                        now, bob, modelOf(bob, new RunAs("bob", 1001, Optional.empty()))));

        var other = modelOf(ANN, new RunAs("ann", 1000, Optional.empty()));

        assertThat(ask(new EngineCommand.SaveModel(now, ANN, other)))
                .isInstanceOfSatisfying(
                        EngineReply.Refused.class,
                        refused -> assertThat(refused.rejection().code()).isEqualTo("model.taken"));
    }

    /** It may have printed that about a task of another user. */
    @Test
    void whatAWorkerOfAllUsersPrintedIsNotShownToTheirOwners() throws StoreFailure {
        start(false);
        var shared = Model.Access.shared(new RunAs("models", 1001, Optional.empty()));
        ask(new EngineCommand.SaveModel(now, ANN, model(shared)));
        var task = submit("own");
        var worker = worker().id();
        var line = ErrorSentence.WORKER_LINE.text("secret of bob");
        observe(new Fact.WorkerFailed(worker, Fact.WorkerFault.PROTOCOL, line));
        ended(worker, new Ending.Exited(1));

        assertThat(store.find(task).orElseThrow().task().toString()).doesNotContain("secret");
        assertThat(store.find(worker.task()).orElseThrow().task().toString()).contains("secret");
        assertThat(engine.state().sinceStart().workers().toString()).doesNotContain("secret");
    }

    private static Model modelOf(Owner owner, RunAs runAs) {
        return model(Model.Access.of(owner, runAs));
    }

    private static Model model(Model.Access access) {
        return new Model(
                "own",
                "worker",
                1000,
                false,
                Collections.emptySortedMap(),
                "/",
                Optional.empty(),
                access);
    }

    private static TaskSpec call(String model) {
        var work = new ModelWork(Optional.of(model), Optional.empty(), 0, true);
        return TaskSpec.of("call", "{}", Need.gpus(1), "/").with(work);
    }

    @Test
    void aTaskForAWorkerHasOneGpu() throws StoreFailure {
        start(false);
        for (var need : List.of(Need.CPU, Need.gpus(2))) {
            var work = new ModelWork(Optional.of("mace"), Optional.empty(), 0, true);
            var spec = TaskSpec.of("call", "{}", need, "/").with(work);
            assertThat(ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty())))
                    .isInstanceOf(EngineReply.Refused.class);
        }
    }

    @Test
    void theStartOfAShortTaskComesWithItsEnd() throws StoreFailure {
        start(true);
        ready(worker().id());
        var task = submit("mace");
        var start = process();
        now = now.plusMillis(4);
        observe(
                new Fact.CallEnded(
                        new AttemptId(task, 1),
                        new Ending.Exited(0),
                        Optional.of("1"),
                        Optional.of(start),
                        Optional.empty()));

        var attempt = store.find(task).orElseThrow().latest().orElseThrow();
        assertThat(attempt.phase().shimProcess()).contains(start);
        assertThat(state(task)).isInstanceOf(TaskState.Completed.class);
        assertThat(model().runTime()).contains(Duration.ofMillis(4));
    }

    @Test
    void aTaskThatWasWithdrawnIsNoAnswerOfAWorker() throws StoreFailure {
        start(true);
        observe(new Fact.Started(worker().id(), process()));
        ended(worker().id(), new Ending.Exited(1));
        var failed = model().failures();
        assertThat(failed.inARow()).isOne();
        assertThat(failed.last()).isPresent();
        pass(Duration.ofMinutes(1));
        var task = submit("mace");
        observe(
                new Fact.CallEnded(
                        new AttemptId(task, 1), new Ending.NeverStarted(), Optional.empty()));

        assertThat(model().failures()).isEqualTo(failed);
    }

    @Test
    void anEarlierFailureOfAModelDoesNotKeepAnUnusedWorkerLoaded() throws StoreFailure {
        start(true);
        observe(new Fact.Started(worker().id(), process()));
        ended(worker().id(), new Ending.Exited(1));
        pass(Duration.ofMinutes(1));
        submit("mace");
        var worker = worker().id();
        ready(worker);
        var call = node.calls.getLast().attempt();
        ask(new EngineCommand.Cancel(now, ANN, call.task()));
        observe(new Fact.CallEnded(call, new Ending.NeverStarted(), Optional.empty()));
        assertThat(model().failures().retryAt().orElseThrow()).isBefore(now);
        assertThat(worker().isIdle()).isTrue();

        // Nothing else happens that could remind the engine.
        assertThat(engine.due()).isBeforeOrEqualTo(worker().lastUsed().plus(IDLE));
        now = worker().lastUsed().plus(IDLE);
        pass(Duration.ZERO);
        assertThat(node.stopped).contains(worker);
    }

    @Test
    void aWorkerIsFreeWhenItsCallHasEndedAlthoughTheTaskEndedBefore() throws StoreFailure {
        start(true);
        ready(worker().id());
        var call = new AttemptId(submit("mace"), 1);
        ask(new EngineCommand.Cancel(now, ANN, call.task()));
        ended(call, new Ending.NeverStarted());
        assertThat(state(call.task())).isInstanceOf(TaskState.Cancelled.class);
        assertThat(worker().call()).as("it may still work on it").contains(call);

        observe(
                new Fact.CallEnded(
                        call, new Ending.CallFailed("cancelled", "cancelled"), Optional.empty()));
        assertThat(worker().isIdle()).isTrue();
    }

    private ModelRecord model() {
        return engine.state().sinceStart().workers().model("mace");
    }

    private WarmWorker worker() {
        return engine.state().sinceStart().workers().all().findFirst().orElseThrow();
    }

    private void ready(AttemptId worker) {
        observe(new Fact.Started(worker, process()));
        observe(new Fact.WorkerReady(worker, Duration.ofSeconds(3)));
    }

    private ShimProcess process() {
        return new ShimProcess(new ProcessKey("boot-1", 100, 100), now);
    }

    private void ended(AttemptId worker, Ending ending) {
        observe(new Fact.Ended(worker, ending, List.of()));
    }

    private TaskState state(TaskId task) {
        return store.find(task).orElseThrow().task().state();
    }

    private TaskId submit(String model) {
        var reply = ask(new EngineCommand.Submit(now, ANN, call(model), Optional.empty()));
        return ((EngineReply.TaskAccepted) reply).task();
    }

    private void observe(Fact fact) {
        engine.run(
                List.of(new Engine.Envelope(new EngineCommand.Observe(now, fact), _ -> {})), now);
    }

    private EngineReply ask(EngineCommand command) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void pass(Duration time) {
        now = now.plus(time);
        ask(new EngineCommand.Tick(now));
    }
}
