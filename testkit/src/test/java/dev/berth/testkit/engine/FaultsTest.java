package dev.berth.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Fault;
import dev.berth.core.card.Reading;
import dev.berth.core.diagnosis.Cause;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Findings;
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
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.StoreFailure;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Cards that fail, are tested, and come back or do not. */
class FaultsTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final CardState ZERO = readable(0);
    private static final CardState ONE = readable(1);
    private static final CardId CARD = ZERO.card().id();

    private final MemoryStore store = new MemoryStore();
    private final RecordingNode node = new RecordingNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        recover();
        read(ZERO, ONE);
    }

    private void recover() throws StoreFailure {
        var parts = new Engine.Parts(store, node, new Planner(Rules.USUAL), Failpoints.NONE);
        engine = Engine.recover(parts, 0, now);
    }

    // --- taken out ---

    @Test
    void aSignOfBrokenHardwareEndsWhatRunsThereAndTellsOnce() throws StoreFailure {
        var first = started("a");
        var second = started("b");
        sick(Fault.Kind.XID, "Xid 79: GPU has fallen off the bus");
        sick(Fault.Kind.XID, "Xid 79: GPU has fallen off the bus");
        sick(Fault.Kind.ECC, "uncorrected memory errors");

        assertThat(node.stopped).containsExactly(first);
        assertThat(node.tested).as("something is still there").isEmpty();
        assertThat(alerts()).containsExactly("alert.gpu_error");
        var ended = new Fact.Leftover(9, "bash", true);
        observe(new Fact.Ended(first, new Ending.Exited(143), List.of(ended)));
        assertThat(alerts()).as("what was ended on purpose is no news").hasSize(1);
        assertThat(node.tested).containsExactly(CARD);
        assertThat(state(first.task()))
                .isEqualTo(
                        new TaskState.Failed(now, "GPU error: Xid 79: GPU has fallen off the bus"));
        assertThat(store.attempts(first.task()).getFirst().findings().diagnosis())
                .map(Diagnosis::cause)
                .contains(Cause.GPU_HARDWARE);
        assertThat(state(second.task())).isEqualTo(new TaskState.Running(1));
        submit("c");
        assertThat(node.launched).as("nothing starts there").hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.Kind.class,
            names = {"HOT", "FAILURES"})
    void whatRunsOnACardThatOnlySuffersMayFinish(Fault.Kind kind) {
        var first = started("a");
        sick(kind, "it suffers");
        assertThat(node.stopped).isEmpty();
        assertThat(node.tested).as("its work is not disturbed").isEmpty();
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of()));
        assertThat(node.tested).containsExactly(CARD);
        started("b");
        submit("c");
        assertThat(node.launched).as("the other card is used").hasSize(2);
    }

    @Test
    void aWorseSignThanIsKnownIsNews() {
        started("a");
        sick(Fault.Kind.HOT, "hot");
        sick(Fault.Kind.XID, "Xid 79");
        assertThat(alerts()).containsExactly("alert.gpu_error", "alert.gpu_error");
        assertThat(node.stopped).hasSize(1);
        assertThat(fault().kind()).isEqualTo(Fault.Kind.XID);
    }

    @Test
    void aSignOfACardThatNobodyKnowsChangesNothing() {
        observe(new Fact.CardSick(new CardId("here", "other"), Fault.Kind.XID, "Xid 79"));
        assertThat(alerts()).isEmpty();
        assertThat(engine.state().books().faults().isEmpty()).isTrue();
    }

    // --- given back ---

    @Test
    void aCardThatPassesItsTestIsUsedAgainWithNothingLoadedThere() {
        sick(Fault.Kind.XID, "Xid 48");
        started("a");
        submit("b");
        assertThat(node.launched).hasSize(1);
        tested(Optional.empty());
        assertThat(node.launched).hasSize(2);
        assertThat(alerts()).containsExactly("alert.gpu_error", "alert.gpu_returned");
        assertThat(engine.problems()).isEmpty();
    }

    @Test
    void aCardThatDoesNotPassStaysOutWithOneMoreAlertWhateverIsReadOfIt() throws StoreFailure {
        sick(Fault.Kind.MISSING, "the driver no longer lists it");
        tested(Optional.of("it did not come back within 30 s"));
        tested(Optional.of("it did not come back within 30 s"));
        read(ZERO, ONE);
        tested(Optional.empty());
        assertThat(alerts()).containsExactly("alert.gpu_error", "alert.gpu_unrecoverable");
        assertThat(fault().stage()).isEqualTo(Fault.Stage.OUT);
        assertThat(engine.problems()).singleElement().asString().contains("berth gpus recover 0");

        recover();
        read(ZERO, ONE);
        assertThat(node.tested).as("the next server knows that a person is awaited").hasSize(1);
        started("a");
        submit("b");
        assertThat(node.launched).hasSize(1);
    }

    @Test
    void aTestThatAServerBeganIsBegunAnewByTheNext() throws StoreFailure {
        sick(Fault.Kind.XID, "Xid 79");
        recover();
        assertThat(node.tested).containsExactly(CARD, CARD);
    }

    @Test
    void aHotCardIsTestedUntilItHasCooledDown() {
        sick(Fault.Kind.HOT, "hot");
        tested(Optional.of("it is still hot"));
        tested(Optional.of("it is still hot"));
        assertThat(node.tested).hasSize(3);
        tested(Optional.empty());
        assertThat(alerts()).containsExactly("alert.gpu_error", "alert.gpu_returned");
    }

    @Test
    void aCardThatFailsAgainSoonAfterItCameBackStaysOut() {
        sick(Fault.Kind.XID, "Xid 48");
        tested(Optional.empty());
        now = now.plus(Duration.ofMinutes(59));
        sick(Fault.Kind.XID, "Xid 48");
        assertThat(node.tested).hasSize(1);
        assertThat(fault().stage()).isEqualTo(Fault.Stage.OUT);
        assertThat(alerts()).endsWith("alert.gpu_error", "alert.gpu_unrecoverable");
    }

    @Test
    void aCardThatFailsAgainMuchLaterIsTestedAgain() {
        sick(Fault.Kind.XID, "Xid 48");
        tested(Optional.empty());
        now = now.plus(Duration.ofMinutes(61));
        sick(Fault.Kind.XID, "Xid 48");
        assertThat(node.tested).hasSize(2);
        assertThat(fault().stage()).isEqualTo(Fault.Stage.TESTING);
    }

    // --- a person's word ---

    @Test
    void aPersonTakesACardOutAndWhatRunsThereFinishes() throws StoreFailure {
        var first = started("a");
        assertThat(takeOut(0)).isInstanceOf(Reply.Noted.class);
        assertThat(node.stopped).isEmpty();
        assertThat(node.tested).isEmpty();
        assertThat(engine.problems()).as("somebody wanted it so").isEmpty();
        assertThat(code(takeOut(0))).isEqualTo("card.out_already");
        assertThat(code(takeOut(7))).isEqualTo("card.unknown");
        observe(new Fact.Ended(first, new Ending.Exited(0), List.of()));
        recover();
        read(ZERO, ONE);
        started("b");
        submit("c");
        assertThat(node.launched).hasSize(2);
        assertThat(handBack(0, true)).isInstanceOf(Reply.Noted.class);
        assertThat(node.launched).hasSize(3);
        assertThat(alerts()).containsExactly("alert.gpu_quarantined", "alert.gpu_handed_back");
    }

    @Test
    void aCardThatAPersonIsAwaitedForDoesNotComeBackWithoutOne() {
        takeOut(0);
        sick(Fault.Kind.MISSING, "the driver no longer lists it");
        assertThat(alerts()).containsExactly("alert.gpu_quarantined", "alert.gpu_error");
        assertThat(node.tested).isEmpty();
        tested(Optional.empty());
        assertThat(fault().stage()).isEqualTo(Fault.Stage.OUT);
    }

    @Test
    void aPersonAsksForATestFirst() {
        sick(Fault.Kind.XID, "Xid 79");
        tested(Optional.of("no"));
        handBack(0, false);
        assertThat(node.tested).hasSize(2);
        assertThat(fault().stage()).isEqualTo(Fault.Stage.TESTING);
        tested(Optional.empty());
        assertThat(engine.state().books().faults().isEmpty()).isTrue();
        assertThat(code(handBack(0, false))).isEqualTo("card.not_out");
        assertThat(code(handBack(7, true))).isEqualTo("card.unknown");
    }

    // --- repeated failures ---

    @Test
    void oneCommandThatAlwaysFailsSaysNothingOfTheCard() {
        for (int i = 0; i < 5; i++) {
            failOnZero("a", Cause.GPU_HARDWARE);
        }
        assertThat(alerts()).isEmpty();
    }

    @Test
    void differentCommandsThatFailLikeOnABrokenCardTakeItOut() {
        failOnZero("a", Cause.GPU_HARDWARE);
        failOnZero("b", Cause.GPU_HARDWARE);
        assertThat(alerts()).isEmpty();
        failOnZero("a", Cause.GPU_HARDWARE);
        assertThat(alerts()).containsExactly("alert.gpu_error");
        assertThat(fault().kind()).isEqualTo(Fault.Kind.FAILURES);
    }

    @Test
    void whatAProgramDoesWrongIsNeverTheCardsGuilt() {
        for (var command : List.of("a", "b", "c", "d")) {
            failOnZero(command, Cause.CUDA);
        }
        assertThat(alerts()).isEmpty();
    }

    @Test
    void aTaskThatGoesWellThereClearsTheCard() {
        failOnZero("a", Cause.GPU_HARDWARE);
        failOnZero("b", Cause.GPU_HARDWARE);
        end("c", new Ending.Exited(0), Findings.NONE);
        failOnZero("a", Cause.GPU_HARDWARE);
        assertThat(alerts()).isEmpty();
    }

    @Test
    void oldFailuresAreForgotten() {
        failOnZero("a", Cause.GPU_HARDWARE);
        failOnZero("b", Cause.GPU_HARDWARE);
        now = now.plus(Duration.ofMinutes(61));
        failOnZero("a", Cause.GPU_HARDWARE);
        assertThat(alerts()).isEmpty();
    }

    // --- one that cannot be read ---

    @Test
    void aCardThatAloneCannotBeReadForAWhileIsOneAlertAndItsTaskGoesOn() {
        started("a");
        read(new CardState.Unknown(ZERO.card(), "the driver says [Unknown Error]"), ONE);
        assertThat(alerts()).as("it may be a moment's doubt").isEmpty();
        assertThat(engine.due()).isEqualTo(now.plusSeconds(5));
        now = now.plusSeconds(5);
        tick();
        tick();
        assertThat(alerts()).containsExactly("alert.gpu_unreadable");
        assertThat(node.stopped).isEmpty();
        read(ZERO, ONE);
        assertThat(alerts()).containsExactly("alert.gpu_unreadable", "alert.gpu_readable");
    }

    @Test
    void aCardThatNobodyCouldReadSinceTheStartIsNoNews() throws StoreFailure {
        recover();
        read(new CardState.Unknown(ZERO.card(), "it is split into instances"), ONE);
        now = now.plusSeconds(60);
        tick();
        assertThat(alerts()).isEmpty();
    }

    @Test
    void blindnessIsToldOnceThoughMeanwhileNothingCanBeRead() {
        read(new CardState.Unknown(ZERO.card(), "[Unknown Error]"), ONE);
        now = now.plusSeconds(5);
        tick();
        var hangs = Optional.of("it hangs");
        observe(
                new Fact.CardsRead(
                        "here",
                        List.of(
                                new CardState.Unknown(ZERO.card(), "it hangs"),
                                new CardState.Unknown(ONE.card(), "it hangs")),
                        List.of(),
                        hangs));
        read(new CardState.Unknown(ZERO.card(), "[Unknown Error]"), ONE);
        now = now.plusSeconds(60);
        tick();
        read(ZERO, ONE);
        assertThat(alerts())
                .containsExactly(
                        "alert.gpu_unreadable",
                        "alert.gpus_unreadable",
                        "alert.gpus_readable",
                        "alert.gpu_readable");
    }

    @Test
    void aMomentsDoubtIsNotTold() {
        read(new CardState.Unknown(ZERO.card(), "missing from the latest readings"), ONE);
        now = now.plusSeconds(2);
        read(ZERO, ONE);
        now = now.plusSeconds(10);
        tick();
        assertThat(alerts()).isEmpty();
    }

    private void failOnZero(String command, Cause cause) {
        var found = new Findings(Optional.of(new Diagnosis(cause, "a line")), Optional.empty());
        end(command, new Ending.Exited(1), found);
    }

    /** The first card is free whenever this is called, and the first free one is taken. */
    private void end(String command, Ending ending, Findings findings) {
        var attempt = started(command);
        assertThat(engine.state().holds().contains(CARD)).isTrue();
        observe(new Fact.Ended(attempt, ending, List.of(), true, findings));
    }

    private Fault fault() {
        return engine.state().books().faults().get(CARD).orElseThrow();
    }

    private void sick(Fault.Kind kind, String why) {
        observe(new Fact.CardSick(CARD, kind, why));
    }

    private void tested(Optional<String> failure) {
        observe(new Fact.CardTested(CARD, failure));
    }

    private Reply takeOut(int index) {
        return ask(new Command.TakeOut(now, ANN, index, "a fan rattles"));
    }

    private Reply handBack(int index, boolean isForced) {
        return ask(new Command.HandBack(now, ANN, index, isForced));
    }

    private static String code(Reply reply) {
        return ((Reply.Refused) reply).why().code();
    }

    private List<String> alerts() {
        return store.eventsAfter(0, 1000).stream()
                .map(event -> event.kind().word())
                .filter(word -> word.startsWith("alert."))
                .toList();
    }

    private TaskState state(TaskId id) throws StoreFailure {
        return store.find(id).orElseThrow().task().state();
    }

    private AttemptId started(String command) {
        var attempt = new AttemptId(submit(command), 1);
        observe(new Fact.Started(attempt, new Run(new ProcessKey("boot-1", 9, 9), now)));
        return attempt;
    }

    private TaskId submit(String command) {
        var spec = TaskSpec.of("train", command, Need.cards(1), "/");
        var reply = ask(new Command.Submit(now, ANN, spec, Optional.empty()));
        return ((Reply.Granted) reply).task();
    }

    private Reply ask(Command command) {
        var replies = new ArrayList<Reply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void tick() {
        ask(new Command.Tick(now));
    }

    private void observe(Fact fact) {
        engine.run(List.of(new Engine.Envelope(new Command.Observe(now, fact), _ -> {})), now);
    }

    private void read(CardState... states) {
        observe(new Fact.CardsRead("here", List.of(states)));
    }

    private static CardState readable(int index) {
        var card = new Card(new CardId("here", "GPU-" + index), index, "H200", 24_576);
        return new CardState.Readable(
                card,
                new Reading(
                        OptionalLong.of(0),
                        OptionalLong.of(24_000),
                        OptionalInt.of(0),
                        OptionalInt.of(30)));
    }
}
