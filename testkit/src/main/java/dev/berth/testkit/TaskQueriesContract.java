package dev.berth.testkit;

import static dev.berth.testkit.StoreSamples.ALICE;
import static dev.berth.testkit.StoreSamples.CARD;
import static dev.berth.testkit.StoreSamples.OTHER_CARD;
import static dev.berth.testkit.StoreSamples.RUN;
import static dev.berth.testkit.StoreSamples.at;
import static dev.berth.testkit.StoreSamples.attempt;
import static dev.berth.testkit.StoreSamples.ended;
import static dev.berth.testkit.StoreSamples.event;
import static dev.berth.testkit.StoreSamples.granted;
import static dev.berth.testkit.StoreSamples.id;
import static dev.berth.testkit.StoreSamples.ids;
import static dev.berth.testkit.StoreSamples.page;
import static dev.berth.testkit.StoreSamples.save;
import static dev.berth.testkit.StoreSamples.saved;
import static dev.berth.testkit.StoreSamples.seqs;
import static dev.berth.testkit.StoreSamples.status;
import static dev.berth.testkit.StoreSamples.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Via;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.TaskStore;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.ServerPayload;
import dev.berth.port.event.TaskAlert;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.event.UnknownPayload;
import dev.berth.port.read.AuditFilter;
import dev.berth.port.read.AuditFilter.Period;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.Filter;
import dev.berth.port.read.TaskQueries.Page;
import dev.berth.port.read.TaskQueries.TaskRecord;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The queries that every store answers while it is written. Each test has its own home. */
public abstract class TaskQueriesContract {

    /** A store for the next server with this test's home. */
    protected abstract TaskStore nextServerStore() throws Exception;

    /** The queries on this test's home. */
    protected abstract TaskQueries queries() throws Exception;

    @Test
    void theEpochIsThatOfTheServerWhichOpenedTheStoreLast() throws Exception {
        long first = nextServerStore().open().epoch();
        assertThat(queries().epoch()).isEqualTo(first);
        long second = nextServerStore().open().epoch();
        assertThat(second).isGreaterThan(first);
        assertThat(queries().epoch()).isEqualTo(second);
    }

    @Test
    void listsAreNewestFirstAndPaged() throws Exception {
        var store = opened();
        save(
                store,
                saved(task(10)),
                saved(task(2)),
                saved(task(9)),
                saved(task(1)),
                saved(task(11)));

        assertThat(ids(queries().list(Filter.ALL, Page.WHOLE)))
                .containsExactly(11L, 10L, 9L, 2L, 1L);
        assertThat(ids(queries().list(Filter.ALL, page(2, 0)))).containsExactly(11L, 10L);
        assertThat(ids(queries().list(Filter.ALL, page(2, 10)))).containsExactly(9L, 2L);
        assertThat(ids(queries().list(Filter.ALL, page(5, 2)))).containsExactly(1L);
        assertThat(ids(queries().list(Filter.ALL, page(5, 1)))).isEmpty();
        assertThat(ids(queries().list(Filter.ALL, page(0, 0)))).isEmpty();
        assertThat(
                        ids(
                                queries()
                                        .list(
                                                Filter.ALL,
                                                new Page(
                                                        OptionalInt.empty(), Optional.of(id(10))))))
                .containsExactly(9L, 2L, 1L);
    }

    @Test
    void listsAndCountsAreFiltered() throws Exception {
        save(
                opened(),
                saved(task(1)),
                saved(task(2, new TaskState.Completed(at(9)))),
                saved(task(3)),
                saved(task(4, new TaskState.Cancelled(at(9)))),
                saved(task(5)));
        var api = new Filter(Optional.empty(), Optional.of(TaskSource.API));
        var queued = new Filter(Optional.of("queued"), Optional.empty());
        var queuedByApi = new Filter(Optional.of("queued"), Optional.of(TaskSource.API));

        assertThat(ids(queries().list(queued, Page.WHOLE))).containsExactly(5L, 3L, 1L);
        assertThat(ids(queries().list(queued, page(1, 5)))).containsExactly(3L);
        assertThat(ids(queries().list(queuedByApi, page(2, 0)))).containsExactly(5L, 3L);
        assertThat(ids(queries().list(api, page(2, 4)))).containsExactly(3L, 2L);
        assertThat(queries().list(status("failed"), Page.WHOLE)).isEmpty();
        assertThat(queries().count(Filter.ALL)).isEqualTo(5);
        assertThat(queries().count(api)).isEqualTo(5);
        assertThat(queries().count(queued)).isEqualTo(3);
        assertThat(queries().count(queuedByApi)).isEqualTo(3);
        assertThat(queries().count(status("completed"))).isEqualTo(1);
        assertThat(queries().count(status("failed"))).isZero();
    }

    @Test
    void listsAreSearchedByWordsAndOwner() throws Exception {
        var store = opened();
        save(
                store,
                saved(named(1, "Train-ResNet", "anna")),
                saved(named(2, "train_vit 50%", "bob")),
                saved(named(13, "évaluer", "anna")),
                saved(named(30, "trainXvit", "bob")));

        assertThat(found("train")).containsExactly(30L, 2L, 1L);
        assertThat(found("TRAIN", "ANN")).containsExactly(1L);
        assertThat(found("#13")).containsExactly(13L);
        assertThat(found("3")).containsExactly(30L, 13L);
        assertThat(found("n_v")).containsExactly(2L);
        assertThat(found("%")).containsExactly(2L);
        assertThat(found("éva")).containsExactly(13L);
        assertThat(found("\\")).isEmpty();
        var bobs = filter(Optional.of("bob"), false, "vit");
        assertThat(ids(queries().list(bobs, Page.WHOLE))).containsExactly(30L, 2L);
        assertThat(queries().count(bobs)).isEqualTo(2);
        assertThat(queries().countFollowing(bobs, TaskOrder.NEWEST_FIRST, id(30))).isEqualTo(1);
        assertThat(queries().count(filter(Optional.of("bo"), false))).isZero();
        assertThat(ids(queries().list(bobs, List.of(id(2), id(1), id(99), id(30)))))
                .containsExactly(2L, 30L);
    }

    @Test
    void listsAreOrderedAndPagedByEachKey() throws Exception {
        save(
                opened(),
                saved(named(1, "b", "zoe")),
                saved(named(2, "A", "bob")),
                saved(named(3, "B", "anna")),
                saved(named(4, "a", "bob")),
                saved(task(5, new TaskState.Completed(at(9)))),
                saved(task(6, new TaskState.Completed(at(3)))));
        var order = new HashMap<TaskOrder, List<Long>>();
        order.put(new TaskOrder(TaskOrder.Key.ID, false), List.of(1L, 2L, 3L, 4L, 5L, 6L));
        order.put(new TaskOrder(TaskOrder.Key.ID, true), List.of(6L, 5L, 4L, 3L, 2L, 1L));
        order.put(new TaskOrder(TaskOrder.Key.NAME, false), List.of(2L, 4L, 1L, 3L, 5L, 6L));
        order.put(new TaskOrder(TaskOrder.Key.NAME, true), List.of(6L, 5L, 3L, 1L, 4L, 2L));
        order.put(new TaskOrder(TaskOrder.Key.OWNER, false), List.of(5L, 6L, 3L, 2L, 4L, 1L));
        order.put(new TaskOrder(TaskOrder.Key.END, true), List.of(5L, 6L));
        order.put(new TaskOrder(TaskOrder.Key.END, false), List.of(6L, 5L));
        for (var one : order.entrySet()) {
            assertThat(pagewise(one.getKey())).as("%s", one.getKey()).isEqualTo(one.getValue());
            assertCountsFollowing(one.getKey(), one.getValue());
        }
        assertThat(queries().count(filter(Optional.empty(), true))).isEqualTo(2);
    }

    private void assertCountsFollowing(TaskOrder order, List<Long> ids) throws Exception {
        var filter = filter(Optional.empty(), order.key() == TaskOrder.Key.END);
        for (int place = 0; place < ids.size(); place++) {
            assertThat(queries().countFollowing(filter, order, id(ids.get(place))))
                    .as("%s after task %d", order, ids.get(place))
                    .isEqualTo(ids.size() - place - 1);
        }
    }

    /** Reads two tasks at a time. */
    private List<Long> pagewise(TaskOrder order) throws Exception {
        var all = new ArrayList<Long>();
        while (true) {
            long last = all.isEmpty() ? 0 : all.getLast();
            boolean isEnded = order.key() == TaskOrder.Key.END;
            var part = queries().ids(filter(Optional.empty(), isEnded), pageAfter(order, last, 2));
            if (part.isEmpty()) {
                return all;
            }
            part.forEach(id -> all.add(id.value()));
        }
    }

    private static Task named(long id, String name, String owner) {
        var spec = TaskSpec.of(name, "true", Need.CPU, "/tmp");
        return Task.queued(id(id), new Owner(owner, owner), spec, at(0));
    }

    private static Page pageAfter(TaskOrder order, long after, int limit) {
        return new Page(OptionalInt.of(limit), Optional.empty(), OptionalLong.of(after), order);
    }

    private static Filter filter(Optional<String> owner, boolean isEnded, String... words) {
        return new Filter(Optional.empty(), Optional.empty(), owner, List.of(words), isEnded);
    }

    private List<Long> found(String... words) throws Exception {
        return ids(queries().list(filter(Optional.empty(), false, words), Page.WHOLE));
    }

    @Test
    void eachTaskIsListedWithItsLatestAttempt() throws Exception {
        var claim = new Claim(CARD, 0, true);
        var other = new Claim(OTHER_CARD, 0, true);
        var second = attempt(1, 2, new Phase.Running(RUN), claim, other);
        var tenth = attempt(2, 10, ended(), other, claim);
        var store = opened();
        save(store, saved(task(3)), saved(granted(1, 2)), saved(granted(2, 10)));
        save(store, saved(attempt(1, 1, ended(), claim)), saved(second));
        save(store, saved(attempt(2, 9, ended(), claim)), saved(tenth));

        assertThat(queries().list(Filter.ALL, Page.WHOLE))
                .extracting(TaskRecord::latest)
                .containsExactly(Optional.empty(), Optional.of(tenth), Optional.of(second));
        assertThat(queries().list(Filter.ALL, page(1, 2)))
                .containsExactly(new TaskRecord(granted(1, 2).stored(), Optional.of(second)));
        assertThat(queries().find(id(1)))
                .contains(new TaskRecord(granted(1, 2), Optional.of(second)));
        assertThat(queries().attempts(id(2)))
                .extracting(attempt -> attempt.id().number())
                .containsExactly(9, 10);
    }

    @Test
    void onlyAlertsAreReadNewestFirst() throws Exception {
        var store = opened();
        save(
                store,
                event(1, new NodeAlert.DiskLow("here", 5, OptionalLong.empty())),
                event(2),
                event(3));
        var unknown = new UnknownPayload("alert.of_a_newer_version", new TreeMap<>());
        save(store, event(4, unknown), event(5));
        save(
                store,
                event(6, new TaskPayload.TaskCompleted()),
                event(12, new TaskAlert.TaskStalled("train", 12)));

        assertThat(seqs(queries().alerts(OptionalLong.empty(), 100))).containsExactly(12L, 4L, 1L);
        assertThat(seqs(queries().alerts(OptionalLong.empty(), 2))).containsExactly(12L, 4L);
        assertThat(seqs(queries().alerts(OptionalLong.of(12), 2))).containsExactly(4L, 1L);
        assertThat(queries().alerts(OptionalLong.of(1), 2)).isEmpty();
    }

    @Test
    void theAuditSaysWhoDidWhatNewestFirst() throws Exception {
        var store = opened();
        var submitted = new TaskPayload.TaskSubmitted("train", Priority.NORMAL);
        var cancelled = new TaskPayload.TaskCancelled();
        save(
                store,
                done(1, ALICE, Optional.of(ALICE), 1, submitted),
                done(2, BOB, Optional.of(BOB), 2, submitted),
                done(3, Owner.BERTH, Optional.of(ALICE), 1, new TaskPayload.TaskCompleted()),
                done(4, BOB, Optional.of(ALICE), 1, cancelled));
        save(store, done(5, BOB, Optional.empty(), 0, new ServerPayload.SchedulerStopped()));
        var people = AuditFilter.PEOPLE;

        assertThat(audit(people)).containsExactly(5L, 4L, 2L, 1L);
        assertThat(audit(people.includingBerth())).containsExactly(5L, 4L, 3L, 2L, 1L);
        assertThat(seqs(queries().audit(people, OptionalLong.of(5), 2))).containsExactly(4L, 2L);
        assertThat(audit(people.by("bob"))).containsExactly(5L, 4L, 2L);
        assertThat(audit(people.by("unix:bob"))).isEmpty();
        assertThat(audit(people.ofKind("task.submitted"))).containsExactly(2L, 1L);
        assertThat(audit(people.ofKind("task"))).containsExactly(4L, 2L, 1L);
        assertThat(audit(people.ofKind("tas"))).isEmpty();
        assertThat(audit(people.about(id(1)))).containsExactly(4L, 1L);
        assertThat(audit(people.includingBerth().about(id(1)))).containsExactly(4L, 3L, 1L);
        assertThat(audit(people.in(new Period(Optional.of(at(4)), Optional.empty()))))
                .containsExactly(5L, 4L);
        assertThat(audit(people.in(new Period(Optional.empty(), Optional.of(at(4))))))
                .containsExactly(2L, 1L);
        assertThat(audit(people.concerning(ALICE))).containsExactly(4L, 1L);
        assertThat(audit(people.concerning(ALICE).includingBerth())).containsExactly(4L, 3L, 1L);
        assertThat(audit(people.concerning(BOB).ofKind("task"))).containsExactly(4L, 2L);
        assertThat(audit(people.concerning(new Owner("unix:carol", "alice")))).isEmpty();
    }

    private static final Owner BOB = Owner.unix("bob");

    private List<Long> audit(AuditFilter filter) throws Exception {
        return seqs(queries().audit(filter, OptionalLong.empty(), 100));
    }

    private static Change done(
            long seq, Owner actor, Optional<Owner> owner, long task, EventPayload payload) {
        return new Change.EventAdded(
                new Event(
                        seq,
                        at((int) seq),
                        actor,
                        actor.equals(Owner.BERTH) ? Optional.empty() : Optional.of(Via.TOKEN),
                        owner,
                        task == 0 ? Optional.empty() : Optional.of(id(task)),
                        Optional.empty(),
                        payload));
    }

    @Test
    void eventsAreReadInOrderFromAnySequenceNumber() throws Exception {
        var store = opened();
        save(store, event(1), event(2), event(3));
        save(store, event(10), event(4));

        assertThat(seqs(queries().eventsAfter(0, 100))).containsExactly(1L, 2L, 3L, 4L, 10L);
        assertThat(seqs(queries().eventsAfter(2, 2))).containsExactly(3L, 4L);
        assertThat(queries().eventsAfter(10, 100)).isEmpty();
        assertThat(nextServerStore().open().last().eventSeq()).isEqualTo(10);
    }

    @Test
    void readersSeeWholeBatches() throws Exception {
        var store = opened();
        var done = new AtomicBoolean();
        try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Integer> look =
                    () -> {
                        int looks = 0;
                        while (!done.get() || looks == 0) {
                            var records = queries().list(Filter.ALL, Page.WHOLE);
                            assertThat(records.size() % 3).isZero();
                            assertThat(records)
                                    .allSatisfy(
                                            record -> {
                                                var latest = record.latest().orElseThrow();
                                                assertThat(latest.id().number())
                                                        .isEqualTo(record.task().attempts());
                                                assertThat(latest.claims())
                                                        .hasSize(latest.isLive() ? 2 : 1);
                                            });
                            looks++;
                        }
                        return looks;
                    };
            var looking = Stream.generate(() -> readers.submit(look)).limit(20).toList();
            for (int first = 1; first < 60; first += 3) {
                save(
                        store,
                        inThrees(
                                first,
                                1,
                                new Phase.Starting(),
                                new Claim(CARD, 1, false),
                                new Claim(CARD, 1, false)));
                save(store, inThrees(first, 2, ended(), new Claim(CARD, 1, false)));
            }
            done.set(true);
            for (var looked : looking) {
                assertThat(looked.get()).isPositive();
            }
        }
    }

    private static Change[] inThrees(long first, int number, Phase phase, Claim... claims) {
        return LongStream.range(first, first + 3)
                .boxed()
                .<Change>mapMulti(
                        (id, changes) -> {
                            changes.accept(saved(granted(id, number)));
                            changes.accept(saved(attempt(id, number, phase, claims)));
                        })
                .toArray(Change[]::new);
    }

    private TaskStore opened() throws Exception {
        var store = nextServerStore();
        store.open();
        return store;
    }
}
