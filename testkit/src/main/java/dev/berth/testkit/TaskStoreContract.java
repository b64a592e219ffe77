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
import static dev.berth.testkit.StoreSamples.save;
import static dev.berth.testkit.StoreSamples.saved;
import static dev.berth.testkit.StoreSamples.spec;
import static dev.berth.testkit.StoreSamples.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.access.Via;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Script;
import dev.berth.core.task.ShellContext;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.SchedulerState;
import dev.berth.port.StoreFailure;
import dev.berth.port.SubmitKey;
import dev.berth.port.SubmitKeyUse;
import dev.berth.port.TaskStore;
import dev.berth.port.event.EventPayload;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;
import dev.berth.port.read.TaskQueries.TaskRecord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The behaviour of every store. Each test has its own home. */
public abstract class TaskStoreContract {

    /** A store for the next server with this test's home. */
    protected abstract TaskStore nextServerStore() throws Exception;

    /** The queries on this test's home. */
    protected abstract TaskQueries queries() throws Exception;

    // --- a new home ---

    @Test
    void aNewHomeIsEmpty() throws Exception {
        var loaded = nextServerStore().open();

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
                                SchedulerState.RUNNING,
                                List.of(),
                                List.of(),
                                TaskStore.StoredModels.NONE,
                                TaskStore.LastUsed.NONE));
        assertThat(queries().list(Filter.ALL, Page.WHOLE)).isEmpty();
        assertThat(queries().count(Filter.ALL)).isZero();
        assertThat(queries().find(id(1))).isEmpty();
        assertThat(queries().attempts(id(1))).isEmpty();
        assertThat(queries().eventsAfter(0, 10)).isEmpty();
    }

    @Test
    void aCommitBeforeOpenIsRejected() throws Exception {
        var store = nextServerStore();

        assertThatIllegalStateException().isThrownBy(() -> save(store, saved(task(1))));
        assertThat(queries().find(id(1))).isEmpty();
    }

    // --- round trip of all values ---

    @ParameterizedTest
    @MethodSource("dev.berth.testkit.StoreSamples#tasks")
    void aTaskIsReadBackEqual(Task task) throws Exception {
        save(opened(), saved(task));

        assertThat(queries().find(task.id())).contains(new TaskRecord(task, Optional.empty()));
        assertThat(queries().list(Filter.ALL, Page.WHOLE))
                .containsExactly(new TaskRecord(task.stored(), Optional.empty()));
        assertThat(nextServerStore().open().tasks())
                .isEqualTo(task.state().isFinal() ? List.of() : List.of(task.stored()));
    }

    @Test
    void theAccountAndTheShellOfAScriptAreReadBackEqual() throws Exception {
        var store = opened();
        var shell =
                new ShellContext(
                        new TreeMap<>(Map.of("PATH", "/opt/bin:/bin", "NOTE", ODD_TEXT)),
                        "0027",
                        new TreeMap<>(Map.of("nofile", 4096L, "core", ShellContext.UNLIMITED)));
        var own = runningAs(1, new RunAs("alice", 1001, Optional.of(shell)));
        var same = runningAs(2, new RunAs("alice", 1001, Optional.of(shell)));
        var plain = runningAs(3, new RunAs("bob", 1002, Optional.empty()));
        save(store, saved(own), saved(same), saved(plain));
        save(store, saved(same.after(new TaskTransition.Cancel(at(9))).stored()));

        assertThat(store.script(id(1))).contains(own.spec().script().text());
        assertThat(queries().scripts(id(1), id(4)).values())
                .extracting(Script.Text::runAs)
                .containsExactly(
                        own.spec().script().text().runAs(),
                        same.spec().script().text().runAs(),
                        plain.spec().script().text().runAs());

        save(store, new Change.TaskRemoved(id(2)));
        assertThat(queries().find(id(1)).orElseThrow().task()).isEqualTo(own);
    }

    private static Task runningAs(long id, RunAs account) {
        var spec = spec(Need.CPU);
        return task(id, spec.with(spec.script().text().withRunAs(account)));
    }

    @ParameterizedTest
    @MethodSource("dev.berth.testkit.StoreSamples#phases")
    void anAttemptIsReadBackEqual(Phase phase) throws Exception {
        var attempt =
                attempt(
                        7,
                        1,
                        phase,
                        new Claim(OTHER_CARD, 20_480, false),
                        new Claim(CARD, 0, true));
        save(opened(), saved(granted(7, 1)), saved(attempt));

        assertThat(queries().attempts(id(7))).containsExactly(attempt);
        assertThat(queries().find(id(7)).orElseThrow().latest()).contains(attempt);
        assertThat(queries().list(Filter.ALL, Page.WHOLE).getFirst().latest()).contains(attempt);
        assertThat(nextServerStore().open().attempts())
                .isEqualTo(phase.isLive() ? List.of(attempt) : List.of());
    }

    static List<EventPayload> payloads() {
        return EventSamples.all();
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void anEventIsReadBackEqual(EventPayload payload) throws Exception {
        var bare = new Event(1, at(1), Owner.BERTH, Optional.empty(), Optional.empty(), payload);
        var full =
                new Event(
                        2,
                        at(2),
                        new Owner("unix:1007", ODD_TEXT),
                        Optional.of(Via.LOOPBACK),
                        Optional.of(new Owner(ODD_TEXT, "bob")),
                        Optional.of(id(7)),
                        Optional.of(new AttemptId(id(7), 3)),
                        payload);
        save(opened(), new Change.EventAdded(bare), new Change.EventAdded(full));

        assertThat(queries().eventsAfter(0, 10)).containsExactly(bare, full);
    }

    @Test
    void gpusAndSubmitKeysAreReadBackEqual() throws Exception {
        var card = new Gpu(CARD, 0, "NVIDIA H200 " + ODD_TEXT, 143_771);
        var other = new Gpu(OTHER_CARD, 1, "", 0);
        var key = new SubmitKey(ODD_TEXT, ODD_TEXT);
        var use = new SubmitKeyUse(id(7), ODD_TEXT, at(1));
        save(
                opened(),
                new Change.GpuSaved(other),
                new Change.GpuSaved(card),
                new Change.KeySaved(key, use));

        var loaded = nextServerStore().open();

        assertThat(loaded.gpus()).containsExactly(card, other);
        assertThat(loaded.keys()).isEqualTo(Map.of(key, use));
    }

    // --- overwriting ---

    @Test
    void aTaskIsOverwritten() throws Exception {
        var store = opened();
        save(
                store,
                saved(
                        task(
                                1,
                                spec(
                                        new Need.Gpus(
                                                Need.GpuCount.of(2),
                                                Optional.of("A"),
                                                Need.GpuMemory.of(5))))));
        var later =
                task(
                        1,
                        spec("renamed", "true", Map.of("A", "1")),
                        new TaskState.Failed(at(9), "no"));
        save(store, saved(later));

        assertThat(queries().list(Filter.ALL, Page.WHOLE))
                .containsExactly(new TaskRecord(later.stored(), Optional.empty()));
        assertThat(queries().find(id(1))).contains(new TaskRecord(later, Optional.empty()));
    }

    @Test
    void aTaskSavedWithoutItsScriptKeepsTheStoredOne() throws Exception {
        var store = opened();
        var first = task(1, spec("train", "python a.py", Map.of("A", "1")));
        var second = task(2, spec("train", "python b.py", Map.of()));
        // A task that starts at once is saved twice in one commit.
        save(store, saved(first), saved(second), saved(first.stored()));
        var ended = task(1, first.spec().stored(), new TaskState.Completed(at(9)));
        save(store, saved(ended));

        assertThat(store.script(id(1))).contains(first.spec().script().text());
        assertThat(store.script(id(3))).isEmpty();
        assertThat(queries().find(id(1)).orElseThrow().task().spec()).isEqualTo(first.spec());
        assertThat(queries().scripts(id(1), id(2)))
                .isEqualTo(Map.of(id(1), first.spec().script().text()));
        assertThat(queries().scripts(id(1), id(9)).keySet()).containsExactly(id(1), id(2));
    }

    @Test
    void aScriptOfAFailedCommitIsNotStored() throws Exception {
        var older = opened();
        save(older, saved(task(1, spec("train", "python a.py", Map.of()))));
        var newer = nextServerStore();
        var _ = newer.open();

        var changed = task(1, spec("train", "python changed.py", Map.of()));
        assertThatThrownBy(() -> save(older, saved(changed))).isInstanceOf(StoreFailure.class);

        assertThat(newer.script(id(1)).orElseThrow().command()).isEqualTo("python a.py");
    }

    @Test
    void anAttemptIsOverwrittenWithItsClaims() throws Exception {
        var store = opened();
        var stopping = new Phase.Stopping(Optional.of(RUN), StopCause.CANCELLED, at(4));
        save(
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
        save(store, saved(later));

        assertThat(queries().attempts(id(1))).containsExactly(later);
    }

    @Test
    void theLastValueOfABatchIsStored() throws Exception {
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
        save(
                opened(),
                saved(task(1)),
                new Change.KeySaved(key, new SubmitKeyUse(id(1), "a", at(1))),
                saved(granted(1, 1)),
                saved(first),
                saved(last),
                saved(done),
                new Change.KeyDropped(key));

        assertThat(queries().find(id(1)).orElseThrow().task()).isEqualTo(done);
        assertThat(queries().attempts(id(1))).containsExactly(last);
        assertThat(nextServerStore().open().keys()).isEmpty();
    }

    @Test
    void aGpuIndexAndASubmitKeyAreOverwritten() throws Exception {
        var store = opened();
        var alice = new SubmitKey("unix:alice", "k");
        var bob = new SubmitKey("unix:bob", "k");
        save(
                store,
                new Change.GpuSaved(new Gpu(CARD, 0, "A", 1)),
                new Change.KeySaved(alice, new SubmitKeyUse(id(1), "a", at(1))),
                new Change.KeySaved(bob, new SubmitKeyUse(id(2), "b", at(2))));
        save(
                store,
                new Change.GpuSaved(new Gpu(CARD, 5, "A", 1)),
                new Change.KeyDropped(alice),
                new Change.KeyDropped(new SubmitKey("unix:carol", "never used")),
                new Change.KeySaved(bob, new SubmitKeyUse(id(3), "c", at(3))));

        var loaded = nextServerStore().open();

        assertThat(loaded.gpus()).containsExactly(new Gpu(CARD, 5, "A", 1));
        assertThat(loaded.keys()).isEqualTo(Map.of(bob, new SubmitKeyUse(id(3), "c", at(3))));
    }

    // --- loading at the start of a server ---

    @Test
    void finishedTasksAreNotLoadedButTheirIdsStayTaken() throws Exception {
        var store = opened();
        save(
                store,
                saved(task(1)),
                saved(task(2, new TaskState.Completed(at(9)))),
                event(41),
                event(42));

        var loaded = nextServerStore().open();

        assertThat(loaded.tasks()).containsExactly(task(1).stored());
        assertThat(loaded.last().task()).contains(id(2));
        assertThat(loaded.last().createdAt()).contains(task(2).createdAt());
        assertThat(loaded.last().eventSeq()).isEqualTo(42);
        assertThat(queries().find(id(2)).orElseThrow().task().state())
                .isEqualTo(new TaskState.Completed(at(9)));
    }

    @Test
    void theLastIdAndTimeNeverDecrease() throws Exception {
        var store = opened();
        save(store, saved(task(9)));
        save(store, saved(task(3)), saved(task(4)));

        var loaded = nextServerStore().open();

        assertThat(loaded.last().task()).contains(id(9));
        assertThat(loaded.last().createdAt()).contains(task(9).createdAt());
    }

    @Test
    void liveAttemptsOfAnyTaskAreLoadedInOrder() throws Exception {
        var running = attempt(2, 11, new Phase.Running(RUN), new Claim(CARD, 0, true));
        var old = attempt(2, 9, ended(), new Claim(CARD, 0, true));
        var starting = attempt(10, 1, new Phase.Starting());
        save(
                opened(),
                saved(granted(10, 1)),
                saved(starting),
                saved(granted(2, 11)),
                saved(running),
                saved(old));

        assertThat(nextServerStore().open().attempts()).containsExactly(running, starting);
    }

    // --- one writer ---

    @Test
    void aNewerServerFencesAnOlderOne() throws Exception {
        var older = nextServerStore();
        assertThat(older.open().epoch()).isEqualTo(1);
        save(older, saved(task(1)));
        var newer = nextServerStore();
        assertThat(newer.open().epoch()).isEqualTo(2);

        assertThatThrownBy(() -> save(older, saved(task(2))))
                .isInstanceOfSatisfying(
                        StoreFailure.class,
                        e -> assertThat(e.kind()).isEqualTo(StoreFailure.Kind.FENCED));

        save(newer, saved(task(3)));
        assertThat(ids(queries().list(Filter.ALL, Page.WHOLE))).containsExactly(3L, 1L);
    }

    @Test
    void aFencedServerCanOpenAgain() throws Exception {
        var older = opened();
        opened();

        assertThat(older.open().epoch()).isEqualTo(3);

        save(older, saved(task(1)));
        assertThat(queries().find(id(1))).isPresent();
    }

    // --- all or nothing ---

    @Test
    void aRejectedBatchChangesNothing() throws Exception {
        var store = opened();
        save(
                store,
                saved(granted(1, 1)),
                saved(attempt(1, 1, new Phase.Starting(), new Claim(CARD, 0, true))),
                event(1));
        var before = nextServerStore().open();
        store.open();

        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                save(
                                        store,
                                        saved(task(1, new TaskState.Failed(at(9), "overwritten"))),
                                        saved(granted(2, 1)),
                                        new Change.KeySaved(
                                                new SubmitKey("p", "k"),
                                                new SubmitKeyUse(id(2), "h", at(1))),
                                        new Change.GpuSaved(new Gpu(CARD, 0, "A", 1)),
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
        save(store, saved(task(3)));
        var after = nextServerStore().open();
        assertThat(after.keys()).isEqualTo(before.keys());
        assertThat(after.gpus()).isEqualTo(before.gpus());
        assertThat(ids(queries().list(Filter.ALL, Page.WHOLE))).containsExactly(3L, 1L);
    }

    @Test
    void anAttemptNeedsItsTask() throws Exception {
        var store = opened();

        assertThatIllegalStateException()
                .isThrownBy(() -> save(store, saved(attempt(1, 1, new Phase.Starting()))));
        assertThat(queries().attempts(id(1))).isEmpty();
    }

    // --- claims ---

    @Test
    void twoLiveExclusiveClaimsOnOneGpuAreRejected() throws Exception {
        var store = opened();
        save(
                store,
                saved(granted(1, 1)),
                saved(attempt(1, 1, new Phase.Running(RUN), new Claim(CARD, 0, true))));

        assertThatIllegalStateException()
                .isThrownBy(
                        () ->
                                save(
                                        store,
                                        saved(granted(2, 1)),
                                        saved(
                                                attempt(
                                                        2,
                                                        1,
                                                        new Phase.Starting(),
                                                        new Claim(CARD, 0, true)))))
                .withMessageContaining("host-a/GPU-1");

        assertThat(nextServerStore().open().attempts()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("dev.berth.testkit.StoreSamples#phases")
    void anExclusiveClaimLastsUntilTheAttemptHasEnded(Phase phase) throws Exception {
        var store = opened();
        save(store, saved(granted(1, 1)), saved(attempt(1, 1, phase, new Claim(CARD, 0, true))));
        Change[] next = {
            saved(granted(2, 1)),
            saved(attempt(2, 1, new Phase.Starting(), new Claim(CARD, 0, true)))
        };

        if (phase.isLive()) {
            assertThatIllegalStateException().isThrownBy(() -> save(store, next));
        } else {
            save(store, next);
        }
    }

    @Test
    void oneBatchCanMoveAGpuToAnotherAttempt() throws Exception {
        var store = opened();
        var claim = new Claim(CARD, 0, true);
        save(
                store,
                saved(granted(1, 1)),
                saved(granted(2, 1)),
                saved(attempt(2, 1, new Phase.Running(RUN), claim)));

        save(
                store,
                saved(attempt(1, 1, new Phase.Starting(), claim)),
                saved(attempt(2, 1, ended(), claim)));
        save(
                store,
                saved(attempt(1, 1, ended(), claim)),
                saved(granted(1, 2)),
                saved(attempt(1, 2, new Phase.Starting(), claim)));

        assertThat(queries().attempts(id(1)))
                .extracting(Attempt::isLive)
                .containsExactly(false, true);
    }

    @Test
    void theSameGpuUuidOnAnotherNodeIsAnotherGpu() throws Exception {
        var there = new GpuId("host-b", CARD.uuid());
        save(
                opened(),
                saved(granted(1, 1)),
                saved(granted(2, 1)),
                saved(attempt(1, 1, new Phase.Starting(), new Claim(CARD, 0, true))),
                saved(attempt(2, 1, new Phase.Starting(), new Claim(there, 0, true))));

        assertThat(nextServerStore().open().attempts()).hasSize(2);
    }

    @Test
    void manyAttemptsCanShareAGpu() throws Exception {
        var store = opened();
        for (int i = 1; i <= 3; i++) {
            save(
                    store,
                    saved(granted(i, 1)),
                    saved(attempt(i, 1, new Phase.Starting(), new Claim(CARD, 100, false))));
        }

        assertThat(nextServerStore().open().attempts()).hasSize(3);
    }

    private TaskStore opened() throws Exception {
        var store = nextServerStore();
        store.open();
        return store;
    }
}
