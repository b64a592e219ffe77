package dev.berth.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.diagnosis.Cause;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.plan.Estimates;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Findings;
import dev.berth.core.task.Lane;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.Said;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.Command;
import dev.berth.engine.Engine;
import dev.berth.engine.Reply;
import dev.berth.engine.Tuning;
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
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Tasks that needed more of a card's memory than there was. */
class OutOfMemoryTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final long TOTAL = 24_576;
    private static final long USABLE = 24_000;
    private static final Findings OOM =
            new Findings(
                    Optional.of(new Diagnosis(Cause.OOM, "CUDA out of memory.")), Optional.empty());

    private final MemoryStore store = new MemoryStore();
    private final RecordingNode node = new RecordingNode();
    private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        recover(Map.of());
    }

    private void recover(Map<String, Long> configured) throws StoreFailure {
        var estimates = new Estimates(new TreeMap<>(configured), 2000);
        var planner = new Planner(Rules.USUAL.with(estimates));
        engine = Engine.recover(new Engine.Parts(store, node, planner, Failpoints.NONE), 0, now);
        observe(new Fact.CardsRead("here", List.of(card())));
    }

    @Test
    void theTaskFailsAndItsModelIsThoughtToNeedAFifthMoreEachTime() throws StoreFailure {
        var first = run(model("a"), new Ending.Exited(1), OOM);
        assertThat(state(first)).isEqualTo(new TaskState.Failed(now, "CUDA out of memory"));
        assertThat(estimate("a")).isEqualTo(4800);
        run(model("a"), new Ending.Exited(1), OOM);
        assertThat(estimate("a")).isEqualTo(5760);
        assertThat(estimate("b")).as("others are thought of as before").isEqualTo(4000);
        assertThat(engine.state().holds().isEmpty()).as("its card is free").isTrue();
        assertThat(events(Event.Kind.ESTIMATE_RAISED))
                .extracting(event -> event.data().get("to_mib"))
                .containsExactly("4800", "5760");
    }

    @Test
    void whatWasLearnedOutlivesARestartAndIsNotBelowWhatIsConfigured() throws StoreFailure {
        recover(Map.of("a", 9000L));
        run(model("a"), new Ending.Exited(1), OOM);
        assertThat(estimate("a")).isEqualTo(10_800);
        recover(Map.of("a", 9000L));
        assertThat(estimate("a")).isEqualTo(10_800);
        recover(Map.of("a", 12_000L));
        assertThat(estimate("a")).isEqualTo(12_000);
    }

    @Test
    void whatWasLearnedHoldsWhenTheRulesAreChanged() {
        run(model("a"), new Ending.Exited(1), OOM);
        ask(new Command.Retune(now, ANN, Rules.USUAL, Tuning.USUAL));
        assertThat(estimate("a")).isEqualTo(4800);
        run(model("a"), new Ending.Exited(1), OOM);
        assertThat(estimate("a")).isEqualTo(5760);
    }

    @Test
    void noEstimateGrowsBeyondWhatTheLargestCardCouldGive() throws StoreFailure {
        recover(Map.of("a", 20_000L));
        for (int i = 0; i < 3; i++) {
            run(model("a"), new Ending.Exited(1), OOM);
        }
        long most = USABLE - 2000 - 2 * 500;
        assertThat(estimate("a")).isEqualTo(most);
        assertThat(events(Event.Kind.ESTIMATE_RAISED)).hasSize(1);
    }

    @Test
    void aTaskThatEndedWellRaisesNothingWhateverItPrinted() throws StoreFailure {
        var task = run(model("a"), new Ending.Exited(0), OOM);
        assertThat(state(task)).isInstanceOf(TaskState.Completed.class);
        assertThat(estimate("a")).isEqualTo(4000);
    }

    @Test
    void aTaskThatWasCancelledRaisesNothing() throws StoreFailure {
        var attempt = started(model("a"));
        ask(new Command.Cancel(now, ANN, attempt.task()));
        observe(new Fact.Ended(attempt, new Ending.Exited(143), List.of(), true, OOM));
        assertThat(state(attempt.task())).isInstanceOf(TaskState.Cancelled.class);
        assertThat(store.attempts(attempt.task()).getFirst().findings().diagnosis()).isEmpty();
        assertThat(estimate("a")).isEqualTo(4000);
    }

    @Test
    void aScriptsOwnWordCounts() throws StoreFailure {
        var attempt = started(model("a"));
        observe(new Fact.Spoken(attempt, new Said(false, Optional.of("oom"), now)));
        observe(new Fact.Ended(attempt, new Ending.Exited(1), List.of()));
        assertThat(state(attempt.task()))
                .isEqualTo(new TaskState.Failed(now, "CUDA out of memory"));
        assertThat(estimate("a")).isEqualTo(4800);
    }

    @Test
    void whereAScriptSaysOnlyThatItFailedItsLogTells() throws StoreFailure {
        var attempt = started(model("a"));
        observe(new Fact.Spoken(attempt, new Said(false, Optional.empty(), now)));
        observe(new Fact.Ended(attempt, new Ending.Exited(1), List.of(), true, OOM));
        assertThat(estimate("a")).isEqualTo(4800);

        var other = started(model("a"));
        observe(new Fact.Spoken(other, new Said(false, Optional.of("runtime_error"), now)));
        observe(new Fact.Ended(other, new Ending.Exited(1), List.of(), true, OOM));
        assertThat(estimate("a")).as("its own word counts").isEqualTo(4800);
    }

    @Test
    void whereATaskIsTriedAgainItAsksForMoreButForNoMoreThanACardHas() throws StoreFailure {
        var spec =
                TaskSpec.of("t", "true", stating(Need.Memory.shared(18_000)), "/")
                        .with(new Lane.Named("x"), OptionalInt.of(3));
        var task = run(spec, new Ending.Exited(1), OOM);
        assertThat(memory(task)).isEqualTo(Need.Memory.shared(21_600));
        assertThat(events(Event.Kind.TASK_RETRIED))
                .singleElement()
                .satisfies(event -> assertThat(event.data()).containsEntry("memory_mib", "21600"));
        endAttempt(new AttemptId(task, 2), new Ending.Exited(1), OOM);
        assertThat(memory(task)).isEqualTo(Need.Memory.shared(USABLE));
        endAttempt(new AttemptId(task, 3), new Ending.Exited(1), OOM);
        assertThat(memory(task)).isEqualTo(Need.Memory.shared(USABLE));
    }

    @Test
    void anotherFailureIsTriedAgainWithTheSame() throws StoreFailure {
        var spec =
                TaskSpec.of("t", "true", stating(Need.Memory.of(8000)), "/")
                        .with(new Lane.Named("x"), OptionalInt.of(3));
        var task = run(spec, new Ending.Exited(1), Findings.NONE);
        assertThat(memory(task)).isEqualTo(Need.Memory.of(8000));
    }

    private static Need.Cards stating(Need.Memory memory) {
        return new Need.Cards(Need.Count.of(1), Optional.empty(), memory);
    }

    private static TaskSpec model(String name) {
        return TaskSpec.of("t", "true", Need.cards(1), "/")
                .with(new ModelWork(Optional.of(name), Optional.empty(), 0));
    }

    private long estimate(String model) {
        var work = new ModelWork(Optional.of(model), Optional.empty(), 0);
        return engine.planner().rules().estimates().base(work);
    }

    private Need.Memory memory(TaskId id) throws StoreFailure {
        return ((Need.Cards) task(id).spec().need()).memory();
    }

    private TaskState state(TaskId id) throws StoreFailure {
        return task(id).state();
    }

    private Task task(TaskId id) throws StoreFailure {
        return store.find(id).orElseThrow().task();
    }

    private List<Event> events(Event.Kind kind) {
        return store.eventsAfter(0, 1000).stream().filter(event -> event.kind() == kind).toList();
    }

    private TaskId run(TaskSpec spec, Ending ending, Findings findings) {
        var attempt = started(spec);
        observe(new Fact.Ended(attempt, ending, List.of(), true, findings));
        return attempt.task();
    }

    private void endAttempt(AttemptId attempt, Ending ending, Findings findings) {
        assertThat(node.launched).last().isEqualTo(attempt);
        observe(new Fact.Started(attempt, new Run(new ProcessKey("boot-1", 9, 9), now)));
        observe(new Fact.Ended(attempt, ending, List.of(), true, findings));
    }

    private AttemptId started(TaskSpec spec) {
        var reply = ask(new Command.Submit(now, ANN, spec, Optional.empty()));
        var attempt = new AttemptId(((Reply.Granted) reply).task(), 1);
        assertThat(node.launched).last().isEqualTo(attempt);
        observe(new Fact.Started(attempt, new Run(new ProcessKey("boot-1", 9, 9), now)));
        return attempt;
    }

    private Reply ask(Command command) {
        var replies = new ArrayList<Reply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void observe(Fact fact) {
        engine.run(List.of(new Engine.Envelope(new Command.Observe(now, fact), _ -> {})), now);
    }

    private static CardState card() {
        var card = new Card(new CardId("here", "GPU-0"), 0, "H200", TOTAL);
        return new CardState.Readable(
                card,
                new Reading(
                        OptionalLong.of(0),
                        OptionalLong.of(USABLE),
                        OptionalInt.of(0),
                        OptionalInt.of(30)));
    }
}
