package dev.berth.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What the engine makes of readings. */
class CardFactsTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final CardState ZERO = readable(0);
    private static final CardState ONE = readable(1);

    private final MemoryStore store = new MemoryStore();
    private final RecordingNode node = new RecordingNode();
    private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        engine = recover();
        read(ZERO);
    }

    private Engine recover() throws StoreFailure {
        var planner = new Planner(Rules.USUAL);
        return Engine.recover(new Engine.Parts(store, node, planner, Failpoints.NONE), 0, now);
    }

    @Test
    void aCardIsGivenOnOnlyAfterAReadingThatShowsItEmpty() {
        var first = new AttemptId(submit(), 1);
        var next = new AttemptId(submit(), 1);
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of(), false));
        assertThat(node.launched).containsExactly(first);
        read(ZERO);
        assertThat(node.launched).as("it says nothing of the one that left").hasSize(1);
        departed(first, true);
        assertThat(node.launched).containsExactly(first, next);
        assertThat(events(Event.Kind.ALERT_GPU_UNPROVEN)).isEmpty();
        assertThat(engine.state().watch().cards().releasedAt().get(ZERO.card().id())).contains(now);
    }

    @Test
    void aCardThatIsGivenOnUnseenIsAnAlert() {
        var first = new AttemptId(submit(), 1);
        var next = new AttemptId(submit(), 1);
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of(), false));
        departed(first, false);
        assertThat(node.launched).containsExactly(first, next);
        assertThat(events(Event.Kind.ALERT_GPU_UNPROVEN))
                .singleElement()
                .satisfies(event -> assertThat(event.data()).containsEntry("gpus", "0"));
    }

    @Test
    void anAttemptThatWasSeenToBeOffHandsOnInTheSameBatch() {
        var first = new AttemptId(submit(), 1);
        var next = new AttemptId(submit(), 1);
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of(), true));
        assertThat(node.launched).containsExactly(first, next);
    }

    @Test
    void unreadableCardsAreOneAlertAndAProblemUntilTheyAreBack() {
        for (int i = 0; i < 3; i++) {
            observe(
                    new Fact.CardsRead(
                            "here",
                            List.of(new CardState.Unknown(ZERO.card(), "it hangs")),
                            List.of(),
                            Optional.of("it hangs")));
        }
        submit();
        assertThat(node.launched).isEmpty();
        assertThat(engine.problems()).singleElement().asString().contains("it hangs");
        assertThat(events(Event.Kind.ALERT_GPUS_UNREADABLE)).hasSize(1);
        read(ZERO);
        assertThat(node.launched).hasSize(1);
        assertThat(engine.problems()).isEmpty();
        assertThat(events(Event.Kind.ALERT_GPUS_READABLE)).hasSize(1);
    }

    @Test
    void aCardInErrorFailsItsTaskAndNoOther() throws StoreFailure {
        read(ZERO, ONE);
        var first = new AttemptId(submit(), 1);
        var second = new AttemptId(submit(), 1);
        observe(new Fact.Started(first, run()));
        observe(new Fact.Started(second, run()));
        var failed = new CardState.Failed(ZERO.card(), "it fell off the bus");
        read(failed, ONE);
        read(failed, ONE);
        assertThat(node.stopped).containsExactly(first);
        assertThat(events(Event.Kind.ALERT_GPU_ERROR))
                .singleElement()
                .satisfies(
                        event ->
                                assertThat(event.data())
                                        .containsEntry("gpu_id", "0")
                                        .containsEntry("error", "it fell off the bus"));
        observe(new Fact.Ended(first, new Ending.Exited(143), List.of()));
        assertThat(state(first.task()))
                .isEqualTo(new TaskState.Failed(now, "GPU error: it fell off the bus"));
        assertThat(state(second.task())).isEqualTo(new TaskState.Running(1));
        submit();
        assertThat(node.launched).hasSize(2);
        read(ZERO, ONE);
        assertThat(node.launched).as("it has still to show that it works").hasSize(2);
        observe(new Fact.CardTested(ZERO.card().id(), Optional.empty()));
        assertThat(node.launched).hasSize(3);
        assertThat(events(Event.Kind.ALERT_GPU_RETURNED)).hasSize(1);
    }

    @Test
    void aTaskOfACardInErrorIsEndedByTheNextServerToo() throws StoreFailure {
        var first = new AttemptId(submit(), 1);
        observe(new Fact.Started(first, run()));
        read(new CardState.Failed(ZERO.card(), "gone"));
        node.stopped.clear();
        engine = recover();
        observe(new Fact.Adopted(first, run()));
        assertThat(node.stopped).containsExactly(first);
    }

    @Test
    void aPersonsCancelOutranksTheError() throws StoreFailure {
        var first = new AttemptId(submit(), 1);
        observe(new Fact.Started(first, run()));
        read(new CardState.Failed(ZERO.card(), "gone"));
        ask(new Command.Cancel(now, ANN, first.task()));
        observe(new Fact.Ended(first, new Ending.Exited(143), List.of()));
        assertThat(state(first.task())).isInstanceOf(TaskState.Cancelled.class);
    }

    private TaskState state(TaskId id) throws StoreFailure {
        return store.find(id).orElseThrow().task().state();
    }

    private List<Event> events(Event.Kind kind) {
        return store.eventsAfter(0, 1000).stream().filter(event -> event.kind() == kind).toList();
    }

    private TaskId submit() {
        var spec = TaskSpec.of("train", "true", Need.cards(1), "/");
        var reply = ask(new Command.Submit(now, ANN, spec, Optional.empty()));
        assertThat(reply).isInstanceOf(Reply.Granted.class);
        return ((Reply.Granted) reply).task();
    }

    private Reply ask(Command command) {
        var replies = new ArrayList<Reply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void observe(Fact fact) {
        engine.run(List.of(new Engine.Envelope(new Command.Observe(now, fact), _ -> {})), now);
    }

    private void read(CardState... states) {
        observe(new Fact.CardsRead("here", List.of(states)));
    }

    private void departed(AttemptId attempt, boolean isProven) {
        observe(
                new Fact.CardsRead(
                        "here",
                        List.of(ZERO),
                        List.of(new Fact.Departure(attempt, isProven)),
                        Optional.empty()));
    }

    private Run run() {
        return new Run(new ProcessKey("boot-1", 99, 1), now);
    }

    private static CardState readable(int index) {
        return new CardState.Readable(
                new Card(new CardId("here", "GPU-" + index), index, "Simulated", 24_576),
                new Reading(
                        OptionalLong.of(0),
                        OptionalLong.of(24_576),
                        OptionalInt.of(0),
                        OptionalInt.of(40)));
    }
}
