package dev.berth.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.Rejected;
import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.Command;
import dev.berth.engine.Engine;
import dev.berth.engine.Reply;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.SubmitKey;
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
import java.util.stream.IntStream;

class EngineTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final Owner BOB = Owner.unix("bob");

    private final MemoryStore store = new MemoryStore();
    private final RecordingNode node = new RecordingNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        engine = recover();
    }

    private Engine recover() throws StoreFailure {
        var parts = new Engine.Parts(store, node, new Planner(Rules.USUAL), Failpoints.NONE);
        return Engine.recover(parts, 0, now);
    }

    @Test
    void aSubmitIsKeptBeforeItIsAcknowledgedAndStartsInTheSameBatch() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.cards(1)));
        assertThat(store.find(id).orElseThrow().task().state()).isEqualTo(new TaskState.Running(1));
        assertThat(node.launched).containsExactly(new AttemptId(id, 1));
    }

    @Test
    void aFailedCommitAcknowledgesNothingAndStartsNothing() throws StoreFailure {
        cards(1);
        store.failNextCommits(1, StoreFailure.Kind.FULL);
        var reply = submit(Need.cards(1));
        assertThat(reply)
                .isInstanceOfSatisfying(
                        Reply.Unavailable.class,
                        unavailable ->
                                assertThat(unavailable.kind()).isEqualTo(StoreFailure.Kind.FULL));
        assertThat(node.launched).isEmpty();
        assertThat(engine.state().tasks().isEmpty()).isTrue();
        assertThat(engine.problems()).singleElement().asString().contains("database");
        assertThat(granted(submit(Need.cards(1)))).isEqualTo(new TaskId(1));
        assertThat(engine.problems()).isEmpty();
    }

    @Test
    void anEndThatCouldNotBeCommittedIsKeptAndTriedAgain() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.cards(1)));
        store.failNextCommits(2, StoreFailure.Kind.UNAVAILABLE);
        observe(new Fact.Ended(new AttemptId(id, 1), new Ending.Exited(0), List.of()));
        assertThat(engine.state().tasks().contains(id)).isTrue();
        assertThat(engine.due()).isEqualTo(now.plusSeconds(1));
        tick();
        tick();
        assertThat(store.find(id).orElseThrow().task().state())
                .isInstanceOf(TaskState.Completed.class);
    }

    @Test
    void aKeyMakesOneTaskHoweverOftenItIsSent() throws StoreFailure {
        cards(1);
        var first = keyed(ANN, "k1", "body");
        assertThat(keyed(ANN, "k1", "body")).isEqualTo(new Reply.Granted(granted(first), true));
        assertThat(keyed(BOB, "k1", "body")).isEqualTo(new Reply.Granted(new TaskId(2), false));
        engine = recover();
        assertThat(keyed(ANN, "k1", "body")).isEqualTo(new Reply.Granted(granted(first), true));
    }

    @Test
    void aKeyWithAnotherBodyIsRefusedAndMakesNothing() throws StoreFailure {
        keyed(ANN, "k1", "body");
        var tasks = engine.state().tasks().size();
        assertThat(keyed(ANN, "k1", "other"))
                .isInstanceOfSatisfying(
                        Reply.Refused.class,
                        refused -> {
                            assertThat(refused.why().kind()).isEqualTo(Rejected.Kind.INVALID);
                            assertThat(refused.why().field()).isEqualTo("Idempotency-Key");
                        });
        assertThat(engine.state().tasks().size()).isEqualTo(tasks);
    }

    @Test
    void aKeyIsForgottenAfterADay() {
        var first = granted(keyed(ANN, "k1", "body"));
        now = now.plus(Duration.ofHours(25));
        tick();
        assertThat(engine.state().keys().isEmpty()).isTrue();
        assertThat(granted(keyed(ANN, "k1", "other"))).isNotEqualTo(first);
    }

    @Test
    void cancelOfAQueuedTaskIsFinalAtOnce() throws StoreFailure {
        cards(1);
        granted(submit(Need.cards(1)));
        var second = granted(submit(Need.cards(1)));
        var third = granted(submit(Need.cards(1)));
        cancel(second);
        assertThat(store.find(second).orElseThrow().task().state())
                .isInstanceOf(TaskState.Cancelled.class);
        var task = engine.state().tasks().get(third).orElseThrow();
        assertThat(engine.state().waiting().position(task, _ -> 0)).hasValue(0);
        assertThat(cancel(second)).isInstanceOf(Reply.Refused.class);
    }

    @Test
    void cancelOfARunningTaskHoldsItsCardUntilNothingIsLeft() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.cards(1)));
        var next = granted(submit(Need.cards(1)));
        var attempt = new AttemptId(id, 1);
        observe(new Fact.Started(attempt, run()));
        cancel(id);
        assertThat(node.stopped).containsExactly(attempt);
        assertThat(engine.state().attempts().get(attempt).orElseThrow().phase())
                .isInstanceOf(Phase.Stopping.class);
        assertThat(node.launched).hasSize(1);
        observe(new Fact.Ended(attempt, new Ending.Exited(0), List.of()));
        assertThat(store.find(id).orElseThrow().task().state())
                .isInstanceOf(TaskState.Cancelled.class);
        assertThat(node.launched).containsExactly(attempt, new AttemptId(next, 1));
    }

    @Test
    void nothingRunningIsStoppedForAHigherPriority() {
        cards(1);
        var low = granted(submit(Need.cards(1)));
        var urgent = TaskSpec.of("urgent", "true", Need.cards(1), "/").with(Priority.CRITICAL);
        var critical = granted(ask(new Command.Submit(now, ANN, urgent, Optional.empty())));
        assertThat(node.stopped).isEmpty();
        assertThat(node.launched).containsExactly(new AttemptId(low, 1));
        observe(new Fact.Ended(new AttemptId(low, 1), new Ending.Exited(0), List.of()));
        assertThat(node.launched).last().isEqualTo(new AttemptId(critical, 1));
    }

    @Test
    void nothingStartsBeforeEveryOldAttemptIsAnsweredFor() throws StoreFailure {
        cards(2);
        var id = granted(submit(Need.cards(1)));
        engine = recover();
        cards(2);
        assertThat(node.adopted).containsExactly(new AttemptId(id, 1));
        assertThat(engine.isRecovered()).isFalse();
        submit(Need.cards(1));
        assertThat(node.launched).hasSize(1);
        observe(new Fact.Adopted(new AttemptId(id, 1), run()));
        assertThat(engine.isRecovered()).isTrue();
        assertThat(node.launched).hasSize(2);
    }

    @Test
    void aCancelThatACrashInterruptedIsResumed() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.cards(1)));
        cancel(id);
        node.stopped.clear();
        engine = recover();
        observe(new Fact.Adopted(new AttemptId(id, 1), run()));
        assertThat(node.stopped).containsExactly(new AttemptId(id, 1));
    }

    @Test
    void anAttemptThatNeverRanGoesBackToItsPlaceAsANewAttempt() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.cards(1)));
        var later = granted(submit(Need.cards(1)));
        engine = recover();
        cards(1);
        observe(new Fact.Ended(new AttemptId(id, 1), new Ending.NeverStarted(), List.of()));
        assertThat(node.launched).last().isEqualTo(new AttemptId(id, 2));
        assertThat(engine.state().tasks().get(id).orElseThrow().retries()).isZero();
        assertThat(engine.state().tasks().get(later).orElseThrow().state())
                .isEqualTo(new TaskState.Queued());
    }

    @Test
    void aLostAttemptKeepsItsCardUntilAPersonDecides() {
        cards(1);
        var id = granted(submit(Need.cards(1)));
        submit(Need.cards(1));
        observe(new Fact.LostSight(new AttemptId(id, 1), "its folder is gone"));
        assertThat(node.launched).hasSize(1);
        assertThat(engine.state().attempts().get(new AttemptId(id, 1)).orElseThrow().phase())
                .isInstanceOf(Phase.Lost.class);
        cancel(id);
        observe(new Fact.Ended(new AttemptId(id, 1), new Ending.Vanished(), List.of()));
        assertThat(node.launched).hasSize(2);
    }

    @Test
    void newsOfAnEndedAttemptIsOldNews() throws StoreFailure {
        cards(1);
        var id = granted(submit(Need.cards(1)));
        var end = new Fact.Ended(new AttemptId(id, 1), new Ending.Exited(0), List.of());
        observe(end);
        observe(end);
        observe(new Fact.Started(new AttemptId(id, 1), run()));
        assertThat(store.find(id).orElseThrow().task().state())
                .isInstanceOf(TaskState.Completed.class);
        assertThat(engine.problems()).isEmpty();
    }

    @Test
    void lowDiskSpacePausesStartsWithOneAlert() throws StoreFailure {
        cards(1);
        observe(new Fact.DiskSpace("here", true, 3));
        observe(new Fact.DiskSpace("here", true, 2));
        submit(Need.cards(1));
        assertThat(node.launched).isEmpty();
        observe(new Fact.DiskSpace("here", false, 900));
        assertThat(node.launched).hasSize(1);
        assertThat(store.eventsAfter(0, 100))
                .filteredOn(event -> event.kind() == Event.Kind.ALERT_DISK_LOW)
                .hasSize(1);
    }

    @Test
    void whatNoCardSetCouldEverServeIsRefused() {
        cards(2);
        assertThat(submit(Need.cards(3)))
                .isInstanceOfSatisfying(
                        Reply.Refused.class,
                        refused -> {
                            assertThat(refused.why().kind()).isEqualTo(Rejected.Kind.IMPOSSIBLE);
                            assertThat(refused.why().detail()).contains("3 wanted, 2 exist");
                        });
        var tooBig = new Need.Cards(Need.Count.of(1), Optional.empty(), Need.Memory.of(25000));
        assertThat(submit(tooBig))
                .isInstanceOfSatisfying(
                        Reply.Refused.class,
                        refused -> assertThat(refused.why().field()).isEqualTo("memory_gb"));
        var unknown = new Need.Cards(Need.Count.of(1), Optional.of("H100"), Need.Memory.UNSTATED);
        assertThat(submit(unknown))
                .isInstanceOfSatisfying(
                        Reply.Refused.class,
                        refused ->
                                assertThat(refused.why().detail())
                                        .contains("Known types: Simulated"));
    }

    @Test
    void withoutAnyCardOnlyCpuTasksAreTaken() {
        assertThat(submit(Need.cards(1))).isInstanceOf(Reply.Refused.class);
        assertThat(submit(Need.CPU)).isInstanceOf(Reply.Granted.class);
    }

    @Test
    void creationTimesGrowAlsoWhenTheClockIsSetBack() {
        cards(1);
        var first = granted(submit(Need.cards(1)));
        now = now.minus(Duration.ofHours(1));
        var second = granted(submit(Need.cards(1)));
        var tasks = engine.state().tasks();
        assertThat(tasks.get(second).orElseThrow().createdAt())
                .isAfter(tasks.get(first).orElseThrow().createdAt());
    }

    @Test
    void aNodeThatThrowsDoesNotEndTheLoop() {
        cards(2);
        node.broken = true;
        submit(Need.cards(1));
        node.broken = false;
        assertThat(submit(Need.CPU)).isInstanceOf(Reply.Granted.class);
        assertThat(engine.problems()).isNotEmpty();
    }

    private Reply submit(Need need) {
        var spec = TaskSpec.of("train", "true", need, "/");
        return ask(new Command.Submit(now, ANN, spec, Optional.empty()));
    }

    private Reply keyed(Owner owner, String key, String hash) {
        var keyed = new Command.Keyed(new SubmitKey(owner.principal(), key), hash);
        var spec = TaskSpec.of("train", "true", Need.CPU, "/");
        return ask(new Command.Submit(now, owner, spec, Optional.of(keyed)));
    }

    private Reply cancel(TaskId id) {
        return ask(new Command.Cancel(now, ANN, id));
    }

    private Reply ask(Command command) {
        var replies = new ArrayList<Reply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void observe(Fact fact) {
        engine.run(List.of(new Engine.Envelope(new Command.Observe(now, fact), _ -> {})), now);
    }

    private void tick() {
        ask(new Command.Tick(now));
    }

    private static TaskId granted(Reply reply) {
        assertThat(reply).isInstanceOf(Reply.Granted.class);
        return ((Reply.Granted) reply).task();
    }

    private void cards(int count) {
        observe(
                new Fact.CardsRead(
                        "here",
                        IntStream.range(0, count)
                                .<CardState>mapToObj(
                                        index ->
                                                new CardState.Readable(
                                                        new Card(
                                                                new CardId("here", "GPU-" + index),
                                                                index,
                                                                "Simulated",
                                                                24576),
                                                        new Reading(
                                                                OptionalLong.of(0),
                                                                OptionalLong.of(24576),
                                                                OptionalInt.of(0),
                                                                OptionalInt.of(40))))
                                .toList()));
    }

    private Run run() {
        return new Run(new ProcessKey("boot-1", 100, 1000), now);
    }
}
