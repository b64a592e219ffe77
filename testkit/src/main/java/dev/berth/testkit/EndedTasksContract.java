package dev.berth.testkit;

import static dev.berth.testkit.StoreSamples.ALICE;
import static dev.berth.testkit.StoreSamples.CARD;
import static dev.berth.testkit.StoreSamples.at;
import static dev.berth.testkit.StoreSamples.attempt;
import static dev.berth.testkit.StoreSamples.ended;
import static dev.berth.testkit.StoreSamples.event;
import static dev.berth.testkit.StoreSamples.id;
import static dev.berth.testkit.StoreSamples.save;
import static dev.berth.testkit.StoreSamples.saved;
import static dev.berth.testkit.StoreSamples.spec;
import static dev.berth.testkit.StoreSamples.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskRanges;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.TaskStore;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.EndedTasks.EndedTask;
import dev.berth.port.read.EndedTasks.Position;
import dev.berth.port.read.EndedTasks.Selection;
import dev.berth.port.read.TaskQueries;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Lists and removes ended tasks. Each test has its own home. */
public abstract class EndedTasksContract {

    /** A store for the next server with this test's home. */
    protected abstract TaskStore nextServerStore() throws Exception;

    /** The queries on this test's home. */
    protected abstract TaskQueries queries() throws Exception;

    protected abstract EndedTasks endedTasks() throws Exception;

    @Test
    void onlyEndedTasksAreListedAndThoseThatEndedFirstComeFirst() throws Exception {
        save(
                opened(),
                saved(task(1)),
                saved(task(2, new TaskState.Completed(at(30)))),
                saved(task(3, new TaskState.Failed(at(10), "no"))),
                saved(task(4, new TaskState.Cancelled(at(20)))),
                saved(task(5, new TaskState.Completed(at(20)))),
                saved(task(6, new TaskState.Running(1))));

        assertThat(ids(Selection.ALL)).containsExactly(3L, 4L, 5L, 2L);
        assertThat(endedTasks().count(Selection.ALL)).isEqualTo(4);
        assertThat(endedTasks().list(Selection.ALL, new Position(at(20), 4), 1))
                .containsExactly(new EndedTask(id(5), ALICE, at(20)));
        assertThat(endedTasks().list(Selection.ALL, new Position(at(30), 2), 9)).isEmpty();
    }

    @Test
    void theyAreSelectedByStateAgeOwnerAndName() throws Exception {
        var done = new TaskState.Completed(at(10));
        save(
                opened(),
                saved(named(1, "train-a", done)),
                saved(named(2, "train-b", new TaskState.Failed(at(20), "no"))),
                saved(named(3, "Train[c]", done)),
                saved(bobs(4, done)));

        assertThat(ids(states("failed"))).containsExactly(2L);
        assertThat(ids(states("failed", "cancelled"))).containsExactly(2L);
        assertThat(ids(Selection.endedBefore(at(20)))).containsExactly(1L, 3L, 4L);
        assertThat(ids(selection(Optional.of("bob"), Optional.empty()))).containsExactly(4L);
        assertThat(ids(selection(Optional.of(ALICE.name()), Optional.of("train-*"))))
                .containsExactly(1L, 2L);
        assertThat(ids(selection(Optional.empty(), Optional.of("train-?"))))
                .containsExactly(1L, 2L);
        assertThat(ids(selection(Optional.empty(), Optional.of("*[c]")))).containsExactly(3L);
        assertThat(ids(selection(Optional.empty(), Optional.of("train")))).containsExactly(4L);
    }

    @Test
    void tasksOfALiveFileRunAreNotListed() throws Exception {
        var store = opened();
        var lane = spec(Need.CPU).with(new Lane.OfFileRun(3, 0, false), OptionalInt.empty());
        var run = run(3, new FileRun.Stage.Running());
        save(
                store,
                new Change.FileRunSaved(run),
                saved(task(5, lane, new TaskState.Completed(at(1)))),
                saved(task(6, lane)),
                saved(task(7, new TaskState.Completed(at(2)))));
        assertThat(ids(Selection.ALL)).containsExactly(7L);

        save(store, new Change.FileRunSaved(run.with(new FileRun.Stage.Stopped(at(3)))));
        assertThat(ids(Selection.ALL)).containsExactly(5L, 7L);
    }

    @Test
    void aRemovedTaskIsGoneWithItsAttemptsAndItsIdStaysTaken() throws Exception {
        var store = opened();
        var claim = new Claim(CARD, 0, true);
        var live = attempt(2, 1, new Phase.Starting(), claim);
        save(
                store,
                saved(task(1, new TaskState.Completed(at(9)))),
                saved(attempt(1, 1, ended(), claim)),
                saved(task(2, new TaskState.Running(1))),
                saved(live),
                saved(task(3, new TaskState.Cancelled(at(9)))),
                event(1));

        save(store, removed(1), removed(3), removed(99), removal(2, "1,3"));

        assertThat(queries().find(id(1))).isEmpty();
        assertThat(queries().attempts(id(1))).isEmpty();
        assertThat(queries().find(id(3))).isEmpty();
        assertThat(queries().attempts(id(2))).containsExactly(live);
        assertThat(queries().eventsAfter(0, 9)).hasSize(2);
        var loaded = nextServerStore().open();
        assertThat(loaded.last().task()).contains(id(3));
        assertThat(loaded.attempts()).containsExactly(live);
    }

    @Test
    void theEventOfARemovalIsFoundByTask() throws Exception {
        var store = opened();
        save(store, removal(1, "1-480,483"), event(2), removal(3, "482"));

        assertThat(queries().removal(id(480))).map(Event::seq).contains(1L);
        assertThat(queries().removal(id(482))).map(Event::seq).contains(3L);
        assertThat(queries().removal(id(481))).isEmpty();
    }

    private TaskStore opened() throws Exception {
        var store = nextServerStore();
        store.open();
        return store;
    }

    private List<Long> ids(Selection selection) throws Exception {
        var found = endedTasks().list(selection, Position.START, 100);
        assertThat(endedTasks().count(selection)).isEqualTo(found.size());
        return found.stream().map(task -> task.id().value()).toList();
    }

    private static Selection states(String... names) {
        return new Selection(Set.of(names), Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static Selection selection(Optional<String> owner, Optional<String> name) {
        return new Selection(EndedTasks.ALL_STATES, Optional.empty(), owner, name);
    }

    private static Task named(long id, String name, TaskState state) {
        return task(id, spec(name, "true", Map.of()), state);
    }

    private static Task bobs(long id, TaskState state) {
        var task = task(id, state);
        return new Task(
                task.id(),
                Owner.unix("bob"),
                task.spec(),
                task.createdAt(),
                task.queuedAt(),
                state,
                0,
                0,
                Optional.empty());
    }

    private static Change removed(long task) {
        return new Change.TaskRemoved(id(task));
    }

    private static Change removal(long seq, String tasks) {
        return event(seq, new TaskPayload.TasksRemoved(TaskRanges.parse(tasks)));
    }

    private static FileRun run(long id, FileRun.Stage stage) {
        return new FileRun(
                id,
                FileMode.SINGLE,
                OptionalInt.empty(),
                "/srv/commands",
                FileRun.Origin.CONSOLE,
                ALICE,
                Instant.EPOCH,
                id(5),
                2,
                List.of(),
                stage);
    }
}
