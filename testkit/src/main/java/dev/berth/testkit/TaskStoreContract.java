package dev.berth.testkit;

import static dev.berth.testkit.StoreSamples.CARD;
import static dev.berth.testkit.StoreSamples.ODD_TEXT;
import static dev.berth.testkit.StoreSamples.OTHER_CARD;
import static dev.berth.testkit.StoreSamples.RUN;
import static dev.berth.testkit.StoreSamples.at;
import static dev.berth.testkit.StoreSamples.attempt;
import static dev.berth.testkit.StoreSamples.ended;
import static dev.berth.testkit.StoreSamples.event;
import static dev.berth.testkit.StoreSamples.granted;
import static dev.berth.testkit.StoreSamples.id;
import static dev.berth.testkit.StoreSamples.ids;
import static dev.berth.testkit.StoreSamples.keep;
import static dev.berth.testkit.StoreSamples.saved;
import static dev.berth.testkit.StoreSamples.spec;
import static dev.berth.testkit.StoreSamples.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.KeyUse;
import dev.berth.engine.port.Scheduler;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.SubmitKey;
import dev.berth.engine.port.TaskQueries;
import dev.berth.engine.port.TaskQueries.Filter;
import dev.berth.engine.port.TaskQueries.Page;
import dev.berth.engine.port.TaskQueries.TaskRecord;
import dev.berth.engine.port.TaskStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What every store does. Each test has a home of its own. */
public abstract class TaskStoreContract {

    /** What the next server on this test's home would use. */
    protected abstract TaskStore anotherServer() throws Exception;

    /** Reads of this test's home. */
    protected abstract TaskQueries queries() throws Exception;

    // --- a new home ---

    @Test
    void aNewHomeHoldsNothing() throws Exception {
        var loaded = anotherServer().open();

        assertThat(loaded)
                .isEqualTo(
                        new TaskStore.Loaded(
                                1,
                                List.of(),
                                List.of(),
                                List.of(),
                                new TreeMap<>(),
                                List.of(),
                                new TreeMap<>(),
                                Scheduler.RUNNING,
                                List.of(),
                                0,
                                List.of(),
                                new TreeMap<>(),
                                Optional.empty(),
                                Optional.empty(),
                                0));
        assertThat(queries().list(Filter.ALL, Page.WHOLE)).isEmpty();
        assertThat(queries().count(Filter.ALL)).isZero();
        assertThat(queries().find(id(1))).isEmpty();
        assertThat(queries().attempts(id(1))).isEmpty();
        assertThat(queries().eventsAfter(0, 10)).isEmpty();
    }

    @Test
    void nothingIsKeptBeforeTheStoreIsOpened() throws Exception {
        var store = anotherServer();

        assertThatIllegalStateException().isThrownBy(() -> keep(store, saved(task(1))));
        assertThat(queries().find(id(1))).isEmpty();
    }

    // --- every value comes back equal ---

    @ParameterizedTest
    @MethodSource("dev.berth.testkit.StoreSamples#tasks")
    void aTaskComesBackEqual(Task task) throws Exception {
        keep(opened(), saved(task));

        assertThat(queries().find(task.id())).contains(new TaskRecord(task, Optional.empty()));
        assertThat(queries().list(Filter.ALL, Page.WHOLE))
                .containsExactly(new TaskRecord(task, Optional.empty()));
        assertThat(anotherServer().open().tasks())
                .isEqualTo(task.state().isFinal() ? List.of() : List.of(task));
    }

    @ParameterizedTest
    @MethodSource("dev.berth.testkit.StoreSamples#phases")
    void anAttemptComesBackEqual(Phase phase) throws Exception {
        var attempt =
                attempt(
                        7,
                        1,
                        phase,
                        new Claim(OTHER_CARD, 20_480, false),
                        new Claim(CARD, 0, true));
        keep(opened(), saved(granted(7, 1)), saved(attempt));

        assertThat(queries().attempts(id(7))).containsExactly(attempt);
        assertThat(queries().find(id(7)).orElseThrow().latest()).contains(attempt);
        assertThat(queries().list(Filter.ALL, Page.WHOLE).getFirst().latest()).contains(attempt);
        assertThat(anotherServer().open().attempts())
                .isEqualTo(phase.isLive() ? List.of(attempt) : List.of());
    }

    @ParameterizedTest
    @EnumSource(Event.Kind.class)
    void anEventComesBackEqual(Event.Kind kind) throws Exception {
        var bare =
                new Event(
                        1,
                        at(1),
                        Owner.BERTH,
                        kind,
                        Optional.empty(),
                        Optional.empty(),
                        new TreeMap<>());
        var full =
                new Event(
                        2,
                        at(2),
                        new Owner("unix:1007", ODD_TEXT),
                        kind,
                        Optional.of(id(7)),
                        Optional.of(new AttemptId(id(7), 3)),
                        new TreeMap<>(Map.of(ODD_TEXT, ODD_TEXT, "free", "")));
        keep(opened(), new Change.Happened(bare), new Change.Happened(full));

        assertThat(queries().eventsAfter(0, 10)).containsExactly(bare, full);
    }

    @Test
    void cardsAndKeysComeBackEqual() throws Exception {
        var card = new Card(CARD, 0, "NVIDIA H200 " + ODD_TEXT, 143_771);
        var other = new Card(OTHER_CARD, 1, "", 0);
        var key = new SubmitKey(ODD_TEXT, ODD_TEXT);
        var use = new KeyUse(id(7), ODD_TEXT, at(1));
        keep(
                opened(),
                new Change.CardSaved(other),
                new Change.CardSaved(card),
                new Change.KeySaved(key, use));

        var loaded = anotherServer().open();

        assertThat(loaded.cards()).containsExactly(card, other);
        assertThat(loaded.keys()).isEqualTo(Map.of(key, use));
    }

    // --- what is kept beside the tasks ---

    // --- a later value takes the place of an earlier one ---

    @Test
    void aTaskIsOverwritten() throws Exception {
        var store = opened();
        keep(
                store,
                saved(
                        task(
                                1,
                                spec(
                                        new Need.Cards(
                                                Need.Count.of(2),
                                                Optional.of("A"),
                                                Need.Memory.of(5))))));
        var later =
                task(
                        1,
                        spec("renamed", "true", Map.of("A", "1")),
                        new TaskState.Failed(at(9), "no"));
        keep(store, saved(later));

        assertThat(queries().list(Filter.ALL, Page.WHOLE))
                .containsExactly(new TaskRecord(later, Optional.empty()));
    }

    @Test
    void anAttemptIsOverwrittenWithItsClaims() throws Exception {
        var store = opened();
        var stopping = new Phase.Stopping(Optional.of(RUN), StopCause.CANCELLED, at(4));
        keep(
                store,
                saved(granted(1, 1)),
                saved(
                        attempt(
                                1,
                                1,
                                stopping,
                                new Claim(CARD, 0, true),
                                new Claim(OTHER_CARD, 0, true))));
        var later =
                attempt(
                        1,
                        1,
                        new Phase.Lost(Optional.empty(), "gone"),
                        new Claim(OTHER_CARD, 7, false));
        keep(store, saved(later));

        assertThat(queries().attempts(id(1))).containsExactly(later);
    }

    @Test
    void theLastValueOfABatchIsKept() throws Exception {
        var first =
                attempt(
                        1,
                        1,
                        new Phase.Starting(),
                        new Claim(CARD, 0, true),
                        new Claim(OTHER_CARD, 0, true));
        var last = attempt(1, 1, ended(), new Claim(CARD, 0, true));
        var done = task(1, new TaskState.Completed(at(9)));
        var key = new SubmitKey("unix:alice", "k");
        keep(
                opened(),
                saved(task(1)),
                new Change.KeySaved(key, new KeyUse(id(1), "a", at(1))),
                saved(granted(1, 1)),
                saved(first),
                saved(last),
                saved(done),
                new Change.KeyDropped(key));

        assertThat(queries().find(id(1)).orElseThrow().task()).isEqualTo(done);
        assertThat(queries().attempts(id(1))).containsExactly(last);
        assertThat(anotherServer().open().keys()).isEmpty();
    }

    @Test
    void aCardIsRenumberedAndAKeyUsedAgain() throws Exception {
        var store = opened();
        var alice = new SubmitKey("unix:alice", "k");
        var bob = new SubmitKey("unix:bob", "k");
        keep(
                store,
                new Change.CardSaved(new Card(CARD, 0, "A", 1)),
                new Change.KeySaved(alice, new KeyUse(id(1), "a", at(1))),
                new Change.KeySaved(bob, new KeyUse(id(2), "b", at(2))));
        keep(
                store,
                new Change.CardSaved(new Card(CARD, 5, "A", 1)),
                new Change.KeyDropped(alice),
                new Change.KeyDropped(new SubmitKey("unix:carol", "never used")),
                new Change.KeySaved(bob, new KeyUse(id(3), "c", at(3))));

        var loaded = anotherServer().open();

        assertThat(loaded.cards()).containsExactly(new Card(CARD, 5, "A", 1));
        assertThat(loaded.keys()).isEqualTo(Map.of(bob, new KeyUse(id(3), "c", at(3))));
    }

    // --- what a server starts with ---

    @Test
    void finishedTasksAreNotLoadedButCount() throws Exception {
        var store = opened();
        keep(
                store,
                saved(task(1)),
                saved(task(2, new TaskState.Completed(at(9)))),
                event(41),
                event(42));

        var loaded = anotherServer().open();

        assertThat(loaded.tasks()).containsExactly(task(1));
        assertThat(loaded.lastTask()).contains(id(2));
        assertThat(loaded.lastCreatedAt()).contains(task(2).createdAt());
        assertThat(loaded.lastSeq()).isEqualTo(42);
        assertThat(queries().find(id(2)).orElseThrow().task().state())
                .isEqualTo(new TaskState.Completed(at(9)));
    }

    @Test
    void theLastIdAndTimeNeverGoBack() throws Exception {
        var store = opened();
        keep(store, saved(task(9)));
        keep(store, saved(task(3)), saved(task(4)));

        var loaded = anotherServer().open();

        assertThat(loaded.lastTask()).contains(id(9));
        assertThat(loaded.lastCreatedAt()).contains(task(9).createdAt());
    }

    @Test
    void liveAttemptsOfAnyTaskAreLoadedInOrder() throws Exception {
        var running = attempt(2, 11, new Phase.Running(RUN), new Claim(CARD, 0, true));
        var old = attempt(2, 9, ended(), new Claim(CARD, 0, true));
        var starting = attempt(10, 1, new Phase.Starting());
        keep(
                opened(),
                saved(granted(10, 1)),
                saved(starting),
                saved(granted(2, 11)),
                saved(running),
                saved(old));

        assertThat(anotherServer().open().attempts()).containsExactly(running, starting);
    }

    // --- one writer ---

    @Test
    void aNewerServerFencesAnOlderOne() throws Exception {
        var older = anotherServer();
        assertThat(older.open().epoch()).isEqualTo(1);
        keep(older, saved(task(1)));
        var newer = anotherServer();
        assertThat(newer.open().epoch()).isEqualTo(2);

        assertThatThrownBy(() -> keep(older, saved(task(2))))
                .isInstanceOfSatisfying(
                        StoreFailure.class,
                        e -> assertThat(e.kind()).isEqualTo(StoreFailure.Kind.FENCED));

        keep(newer, saved(task(3)));
        assertThat(ids(queries().list(Filter.ALL, Page.WHOLE))).containsExactly(3L, 1L);
    }

    @Test
    void aFencedServerMayOpenAgain() throws Exception {
        var older = opened();
        opened();

        assertThat(older.open().epoch()).isEqualTo(3);

        keep(older, saved(task(1)));
        assertThat(queries().find(id(1))).isPresent();
    }

    // --- all or nothing ---

    @Test
    void aRefusedBatchLeavesNoTrace() throws Exception {
        var store = opened();
        keep(
                store,
                saved(granted(1, 1)),
                saved(attempt(1, 1, new Phase.Starting(), new Claim(CARD, 0, true))),
                event(1));
        var before = anotherServer().open();
        store.open();

        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                keep(
                                        store,
                                        saved(task(1, new TaskState.Failed(at(9), "overwritten"))),
                                        saved(granted(2, 1)),
                                        new Change.KeySaved(
                                                new SubmitKey("p", "k"),
                                                new KeyUse(id(2), "h", at(1))),
                                        new Change.CardSaved(new Card(CARD, 0, "A", 1)),
                                        event(2),
                                        saved(
                                                attempt(
                                                        2,
                                                        1,
                                                        new Phase.Starting(),
                                                        new Claim(CARD, 0, true)))));

        assertThat(queries().find(id(1)).orElseThrow().task()).isEqualTo(granted(1, 1));
        assertThat(queries().find(id(2))).isEmpty();
        assertThat(queries().eventsAfter(0, 10)).hasSize(1);
        keep(store, saved(task(3)));
        var after = anotherServer().open();
        assertThat(after.keys()).isEqualTo(before.keys());
        assertThat(after.cards()).isEqualTo(before.cards());
        assertThat(ids(queries().list(Filter.ALL, Page.WHOLE))).containsExactly(3L, 1L);
    }

    @Test
    void anAttemptNeedsItsTask() throws Exception {
        var store = opened();

        assertThatIllegalStateException()
                .isThrownBy(() -> keep(store, saved(attempt(1, 1, new Phase.Starting()))));
        assertThat(queries().attempts(id(1))).isEmpty();
    }

    // --- cards ---

    @Test
    void twoLiveExclusiveClaimsOnOneCardAreRefused() throws Exception {
        var store = opened();
        keep(
                store,
                saved(granted(1, 1)),
                saved(attempt(1, 1, new Phase.Running(RUN), new Claim(CARD, 0, true))));

        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                keep(
                                        store,
                                        saved(granted(2, 1)),
                                        saved(
                                                attempt(
                                                        2,
                                                        1,
                                                        new Phase.Starting(),
                                                        new Claim(CARD, 0, true)))))
                .withMessageContaining("host-a/GPU-1");

        assertThat(anotherServer().open().attempts()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("dev.berth.testkit.StoreSamples#phases")
    void anExclusiveClaimLastsUntilTheAttemptHasEnded(Phase phase) throws Exception {
        var store = opened();
        keep(store, saved(granted(1, 1)), saved(attempt(1, 1, phase, new Claim(CARD, 0, true))));
        Change[] next = {
            saved(granted(2, 1)),
            saved(attempt(2, 1, new Phase.Starting(), new Claim(CARD, 0, true)))
        };

        if (phase.isLive()) {
            assertThatIllegalStateException().isThrownBy(() -> keep(store, next));
        } else {
            keep(store, next);
        }
    }

    @Test
    void aCardPassesFromOneAttemptToTheNextInOneBatch() throws Exception {
        var store = opened();
        var claim = new Claim(CARD, 0, true);
        keep(
                store,
                saved(granted(1, 1)),
                saved(granted(2, 1)),
                saved(attempt(2, 1, new Phase.Running(RUN), claim)));

        keep(
                store,
                saved(attempt(1, 1, new Phase.Starting(), claim)),
                saved(attempt(2, 1, ended(), claim)));
        keep(
                store,
                saved(attempt(1, 1, ended(), claim)),
                saved(granted(1, 2)),
                saved(attempt(1, 2, new Phase.Starting(), claim)));

        assertThat(queries().attempts(id(1)))
                .extracting(Attempt::isLive)
                .containsExactly(false, true);
    }

    @Test
    void theSameCardNameOnAnotherNodeIsAnotherCard() throws Exception {
        var there = new CardId("host-b", CARD.uuid());
        keep(
                opened(),
                saved(granted(1, 1)),
                saved(granted(2, 1)),
                saved(attempt(1, 1, new Phase.Starting(), new Claim(CARD, 0, true))),
                saved(attempt(2, 1, new Phase.Starting(), new Claim(there, 0, true))));

        assertThat(anotherServer().open().attempts()).hasSize(2);
    }

    @Test
    void manyMayShareACard() throws Exception {
        var store = opened();
        for (int i = 1; i <= 3; i++) {
            keep(
                    store,
                    saved(granted(i, 1)),
                    saved(attempt(i, 1, new Phase.Starting(), new Claim(CARD, 100, false))));
        }

        assertThat(anotherServer().open().attempts()).hasSize(3);
    }

    private TaskStore opened() throws Exception {
        var store = anotherServer();
        store.open();
        return store;
    }
}
