package dev.berth.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.line.FairShare;
import dev.berth.core.line.Order;
import dev.berth.core.line.People;
import dev.berth.core.line.Usage;
import dev.berth.core.plan.Estimates;
import dev.berth.core.plan.Foreign;
import dev.berth.core.plan.LaneRules;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Pool;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Rules;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Devices;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.Command;
import dev.berth.engine.Engine;
import dev.berth.engine.Queueing;
import dev.berth.engine.Reply;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.StoreFailure;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What a person can do with a task before it starts, and with the queue as a whole. */
class DraftsTest {

    private static final Owner ANN = Owner.unix("ann");

    private final MemoryStore store = new MemoryStore();
    private final RecordingNode node = new RecordingNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        engine = recover();
        read(0);
    }

    private Engine recover() throws StoreFailure {
        return recover(Rules.USUAL, Queueing.USUAL.order());
    }

    private Engine recover(Rules rules, Order order) throws StoreFailure {
        var queueing = new Queueing(order, 5, Duration.ofMinutes(10), Duration.ofSeconds(1));
        var parts = new Engine.Parts(store, node, new Planner(rules), queueing, Failpoints.NONE);
        return Engine.recover(parts, 0, now);
    }

    @Test
    void aDraftWaitsForAPersonAndOutlivesARestart() throws StoreFailure {
        var id = draft(Need.cards(1));
        tick();
        assertThat(node.launched).isEmpty();
        engine = recover();
        read(0);
        assertThat(state(id)).isInstanceOf(TaskState.Pending.class);
        assertThat(ask(new Command.Enqueue(now, ANN, id))).isEqualTo(new Reply.Granted(id, false));
        assertThat(node.launched).containsExactly(new AttemptId(id, 1));
        assertThat(code(ask(new Command.Enqueue(now, ANN, id)))).isEqualTo("task.not_pending");
    }

    @Test
    void aDraftMadeEarlierGoesFirstThoughItJoinsLater() {
        var running = submit(Need.cards(1));
        var first = draft(Need.cards(1));
        var second = draft(Need.cards(1));
        ask(new Command.Enqueue(now, ANN, second));
        ask(new Command.Enqueue(now, ANN, first));
        ended(running);
        assertThat(node.launched)
                .containsExactly(new AttemptId(running, 1), new AttemptId(first, 1));
    }

    @Test
    void aStartByHandTakesAFreeCardAndLeavesADraftWhereItIsBusy() {
        read(90);
        var id = draft(Need.cards(1));
        assertThat(ask(new Command.Start(now, ANN, id, false)))
                .isInstanceOfSatisfying(
                        Reply.Busy.class,
                        busy ->
                                assertThat(busy.reasons())
                                        .singleElement()
                                        .isInstanceOfSatisfying(
                                                WaitReason.CardsShort.class,
                                                reason ->
                                                        assertThat(reason.refused())
                                                                .singleElement()
                                                                .extracting(one -> one.refusal())
                                                                .isInstanceOf(
                                                                        Refusal.InUse.class)));
        assertThat(state(id)).isInstanceOf(TaskState.Pending.class);
        assertThat(ask(new Command.Start(now, ANN, id, true)))
                .isEqualTo(new Reply.Granted(id, false));
        assertThat(node.forced).containsExactly(new AttemptId(id, 1));
    }

    @Test
    void notEvenAForcedStartTakesACardThatBerthGaveAway() {
        submit(Need.cards(1));
        var id = draft(Need.cards(1));
        assertThat(ask(new Command.Start(now, ANN, id, true))).isInstanceOf(Reply.Busy.class);
        assertThat(node.launched).hasSize(1);
    }

    @Test
    void ofManyStartsAtOnceOneIsGranted() {
        read(0, 0, 0, 0);
        var id = draft(Need.cards(1));
        var replies = new ArrayList<Reply>();
        var batch = new ArrayList<Engine.Envelope>();
        batch.add(new Engine.Envelope(new Command.Enqueue(now, ANN, id), replies::add));
        for (int i = 0; i < 20; i++) {
            batch.add(
                    new Engine.Envelope(new Command.Start(now, ANN, id, i % 2 == 0), replies::add));
        }
        engine.run(batch, now);
        assertThat(replies).filteredOn(Reply.Granted.class::isInstance).hasSize(1);
        assertThat(node.launched).containsExactly(new AttemptId(id, 1));
    }

    @Test
    void aDraftCanBeCancelledAndCountsAsOneOfItsOwners() {
        var ids = new ArrayList<TaskId>();
        for (int i = 0; i < 5; i++) {
            ids.add(draft(Need.cards(1)));
        }
        assertThat(code(ask(entries(1, true)))).isEqualTo("queue.user_full");
        ask(new Command.Cancel(now, ANN, ids.getFirst()));
        assertThat(store.find(ids.getFirst()).orElseThrow().task().state())
                .isInstanceOf(TaskState.Cancelled.class);
        assertThat(ask(entries(1, true))).isInstanceOf(Reply.Granted.class);
    }

    @Test
    void severalAreTakenInTogetherOrNoneOfThem() {
        assertThat(ask(entries(3, false))).isEqualTo(new Reply.Granted(new TaskId(1), false));
        assertThat(engine.state().tasks()).hasSize(3);
        var bad =
                new Command.Submit(
                        now,
                        ANN,
                        List.of(entry(Need.CPU), entry(Need.cards(9))),
                        true,
                        Optional.empty());
        assertThat(ask(bad))
                .isInstanceOfSatisfying(
                        Reply.Refused.class,
                        refused -> assertThat(refused.why().field()).isEqualTo("[1].gpu_count"));
        assertThat(engine.state().tasks()).hasSize(3);
        assertThat(engine.state().marks().task()).isEqualTo(3);
    }

    @Test
    void aBlockedHeadThatAsksForLessStartsFromItsOldPlace() {
        read(0, 90);
        var head = submit(Need.cards(2));
        var behind = submit(Need.cards(1));
        assertThat(node.launched).isEmpty();
        var before = task(head).spec();
        var after = TaskSpec.of("smaller", "true", Need.cards(1), "/");
        ask(new Command.Revise(now, ANN, head, before, after));
        assertThat(node.launched).containsExactly(new AttemptId(head, 1));
        assertThat(task(head).spec().name()).isEqualTo("smaller");
        assertThat(code(ask(new Command.Revise(now, ANN, head, after, before))))
                .isEqualTo("task.not_waiting");
        assertThat(task(behind).state()).isInstanceOf(TaskState.Queued.class);
    }

    @Test
    void aChangeOfWhatIsNoLongerThereOrCannotBeIsRefused() {
        read(90);
        var id = submit(Need.cards(1));
        var spec = task(id).spec();
        var urgent = spec.with(Priority.HIGH);
        ask(new Command.Revise(now, ANN, id, spec, urgent));
        assertThat(code(ask(new Command.Revise(now, ANN, id, spec, urgent))))
                .isEqualTo("task.changed");
        var impossible = TaskSpec.of("x", "true", Need.cards(3), "/");
        assertThat(code(ask(new Command.Revise(now, ANN, id, urgent, impossible))))
                .isEqualTo("cards.too_many");
        assertThat(task(id).spec()).isEqualTo(urgent);
    }

    @Test
    void namedCardsMustBeThere() {
        assertThat(code(ask(submitting(on(99))))).isEqualTo("devices.unknown");
        assertThat(ask(submitting(on(0)))).isInstanceOf(Reply.Granted.class);
    }

    @Test
    void aStoppedSchedulerStartsNothingUntilItIsStartedAlsoAfterARestart() throws StoreFailure {
        assertThat(ask(new Command.Schedule(now, ANN, false)))
                .isInstanceOfSatisfying(
                        Reply.Scheduled.class, reply -> assertThat(reply.changed()).isTrue());
        var queued = submit(Need.CPU);
        engine = recover();
        read(0);
        assertThat(node.launched).isEmpty();
        assertThat(engine.problems()).singleElement().asString().contains("stopped");
        var draft = draft(Need.CPU);
        assertThat(ask(new Command.Start(now, ANN, draft, false)))
                .as("a person's word is enough")
                .isInstanceOf(Reply.Granted.class);
        ask(new Command.Schedule(now, ANN, true));
        assertThat(node.launched)
                .containsExactly(new AttemptId(draft, 1), new AttemptId(queued, 1));
        assertThat(ask(new Command.Schedule(now, ANN, true)))
                .isInstanceOfSatisfying(
                        Reply.Scheduled.class, reply -> assertThat(reply.changed()).isFalse());
    }

    @Test
    void aStartByHandWaitsForDiskSpaceAlsoWhileTheSchedulerIsStopped() {
        ask(new Command.Schedule(now, ANN, false));
        observe(new Fact.DiskSpace("here", true, 3));
        var draft = draft(Need.CPU);
        assertThat(ask(new Command.Start(now, ANN, draft, true))).isInstanceOf(Reply.Busy.class);
        assertThat(node.launched).isEmpty();
    }

    @Test
    void theNextTaskWithoutACardStartsWhenOneEnds() throws StoreFailure {
        var one =
                new Rules(
                        20,
                        Foreign.YIELD,
                        Pool.ALL,
                        Estimates.USUAL,
                        ModelCache.USUAL,
                        OptionalInt.of(1),
                        LaneRules.USUAL);
        engine = recover(one, Queueing.USUAL.order());
        var first = submit(Need.CPU);
        var second = submit(Need.CPU);
        tick();
        assertThat(node.launched).containsExactly(new AttemptId(first, 1));
        ended(first);
        assertThat(node.launched).contains(new AttemptId(second, 1));
    }

    /** Nothing happens but that time passes: what runs counts more and more for its owner. */
    @Test
    void underFairShareWhoeverHasHadLessComesUpByItself() throws StoreFailure {
        engine = recover(Rules.USUAL, new FairShare(People.EQUAL));
        read(0, 0);
        var bob = Owner.unix("bob");
        submit(Need.cards(1));
        var earlier = granted(ask(new Command.Submit(now, bob, spec(on(1)), Optional.empty())));
        now = now.plus(Duration.ofMinutes(5));
        ended(earlier);
        submit(Need.cards(2));
        var small =
                granted(ask(new Command.Submit(now, bob, spec(Need.cards(1)), Optional.empty())));
        assertThat(node.launched).doesNotContain(new AttemptId(small, 1));
        now = now.plus(Duration.ofMinutes(10));
        tick();
        assertThat(node.launched).contains(new AttemptId(small, 1));
    }

    @Test
    void manyThatBecomeLateOneAfterTheOtherAreToldOfTogether() {
        read(90, 90);
        for (int i = 0; i < 4; i++) {
            submit(Need.cards(1));
            now = now.plusSeconds(10);
        }
        for (int i = 0; i < 1000; i++) {
            now = now.plusSeconds(1);
            tick();
        }
        assertThat(alerts()).hasSizeBetween(1, 2);
        assertThat(engine.waits(now).late()).isEqualTo(4);
    }

    @Test
    void aTaskWhoseTimeIsUpIsEndedAndFailsByThatWhateverItsExitCode() {
        var spec = TaskSpec.of("slow", "sleep 9", Need.CPU, "/").with(Duration.ofSeconds(3));
        var id = granted(ask(new Command.Submit(now, ANN, spec, Optional.empty())));
        var attempt = new AttemptId(id, 1);
        observe(new Fact.Started(attempt, new Run(new ProcessKey("boot-1", 7, 7), now)));
        observe(new Fact.TimeUp(attempt));
        observe(new Fact.TimeUp(attempt));
        assertThat(node.stopped).containsExactly(attempt);
        observe(new Fact.Ended(attempt, new Ending.Exited(0), List.of()));
        assertThat(store.find(id).orElseThrow().task().state())
                .isInstanceOfSatisfying(
                        TaskState.Failed.class,
                        failed ->
                                assertThat(failed.error())
                                        .isEqualTo("timeout: ended after its time limit of 3 s"));
    }

    @Test
    void theNextServerKnowsTheLimitOfWhatItAdopts() throws StoreFailure {
        var spec = TaskSpec.of("slow", "sleep 9", Need.CPU, "/").with(Duration.ofSeconds(3));
        var id = granted(ask(new Command.Submit(now, ANN, spec, Optional.empty())));
        engine = recover();
        assertThat(node.limits).containsEntry(new AttemptId(id, 1), Duration.ofSeconds(3));
    }

    @Test
    void whatSomebodyHadOfTheCardsIsKeptForThem() throws StoreFailure {
        read(0, 0);
        var id = submit(Need.cards(2));
        now = now.plus(Duration.ofHours(1));
        ended(id);
        double expected = Usage.weighed(2, Duration.ofHours(1));
        assertThat(engine.snapshot(now).used("unix:ann")).isEqualTo(expected);
        engine = recover();
        assertThat(engine.snapshot(now).used("unix:ann")).isEqualTo(expected);
        read(0, 0);
        submit(Need.cards(1));
        assertThat(engine.snapshot(now).used("unix:ann"))
                .as("what has just started counts at once")
                .isEqualTo(expected + Usage.weighed(1, Usage.LEAST));
    }

    @Test
    void aModelIsOnTheCardsThatATaskUsedItOn() {
        read(0, 0);
        var spec =
                TaskSpec.of("m", "true", on(1), "/")
                        .with(new ModelWork(Optional.of("m"), Optional.empty(), 0));
        var id = granted(ask(new Command.Submit(now, ANN, spec, Optional.empty())));
        now = now.plus(Duration.ofHours(2));
        assertThat(engine.snapshot(now).fleet().loaded().get(card(1).id()))
                .as("it is in use")
                .contains(List.of("m"));
        ended(id);
        assertThat(engine.snapshot(now).fleet().loaded().get(card(1).id())).contains(List.of("m"));
        now = now.plus(Duration.ofHours(1));
        assertThat(engine.snapshot(now).fleet().loaded().get(card(1).id())).contains(List.of());
    }

    @Test
    void oneAlertTellsOfAllThatHaveBecomeLate() {
        read(90, 90);
        var first = submit(Need.cards(1));
        now = now.plusSeconds(1);
        submit(Need.cards(1));
        tick();
        assertThat(alerts()).isEmpty();
        assertThat(engine.due()).isAfter(now);
        now = now.plus(Duration.ofMinutes(11));
        tick();
        tick();
        assertThat(alerts())
                .singleElement()
                .satisfies(
                        alert -> {
                            assertThat(alert.task()).contains(first);
                            assertThat(alert.data()).containsEntry("tasks", "2");
                        });
        assertThat(engine.waits(now).late()).isEqualTo(2);
        assertThat(engine.waits(now).longest().orElseThrow().id()).isEqualTo(first);
        submit(Need.cards(1));
        now = now.plus(Duration.ofMinutes(11));
        tick();
        assertThat(alerts()).hasSize(2);
    }

    private List<Event> alerts() {
        return store.eventsAfter(0, 1000).stream()
                .filter(event -> event.kind() == Event.Kind.ALERT_LONG_WAIT)
                .toList();
    }

    private TaskId draft(Need need) {
        return granted(
                ask(
                        new Command.Submit(
                                now,
                                ANN,
                                new Command.Entry(ANN, spec(need), true),
                                Optional.empty())));
    }

    private TaskId submit(Need need) {
        return granted(ask(submitting(need)));
    }

    private Command.Submit submitting(Need need) {
        return new Command.Submit(now, ANN, spec(need), Optional.empty());
    }

    private Command.Submit entries(int count, boolean areDrafts) {
        var entries = new ArrayList<Command.Entry>();
        for (int i = 0; i < count; i++) {
            entries.add(new Command.Entry(ANN, spec(Need.CPU), areDrafts));
        }
        return new Command.Submit(now, ANN, entries, true, Optional.empty());
    }

    private static Command.Entry entry(Need need) {
        return new Command.Entry(ANN, spec(need), false);
    }

    private static TaskSpec spec(Need need) {
        return TaskSpec.of("train", "true", need, "/");
    }

    private static Need on(int index) {
        return Need.Cards.on(Devices.of(index), Optional.empty(), Need.Memory.UNSTATED);
    }

    private void ended(TaskId id) {
        observe(new Fact.Ended(new AttemptId(id, 1), new Ending.Exited(0), List.of()));
    }

    private Task task(TaskId id) {
        return engine.state().tasks().get(id).orElseThrow();
    }

    private TaskState state(TaskId id) {
        return task(id).state();
    }

    /** As many cards as percentages of use. */
    private void read(int... usedPercent) {
        var cards = new ArrayList<CardState>();
        for (int index = 0; index < usedPercent.length; index++) {
            long used = usedPercent[index] * 240L;
            cards.add(
                    new CardState.Readable(
                            card(index),
                            new Reading(
                                    OptionalLong.of(used),
                                    OptionalLong.of(24_000 - used),
                                    OptionalInt.of(0),
                                    OptionalInt.of(40))));
        }
        observe(new Fact.CardsRead("here", cards));
    }

    private static Card card(int index) {
        return new Card(new CardId("here", "GPU-" + index), index, "Simulated", 24_000);
    }

    private void observe(Fact fact) {
        engine.run(List.of(new Engine.Envelope(new Command.Observe(now, fact), _ -> {})), now);
    }

    private void tick() {
        engine.run(List.of(new Engine.Envelope(new Command.Tick(now), _ -> {})), now);
    }

    private Reply ask(Command.Request request) {
        var replies = new ArrayList<Reply>();
        engine.run(List.of(new Engine.Envelope(request, replies::add)), now);
        return replies.getFirst();
    }

    private static String code(Reply reply) {
        return ((Reply.Refused) reply).why().code();
    }

    private static TaskId granted(Reply reply) {
        return ((Reply.Granted) reply).task();
    }
}
