package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.queue.LengthKey;
import dev.berth.core.queue.Precedence;
import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.TaskGroup;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/** The state that a server loads is the state that the server before it had. */
class LoadedStateTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final List<String> USERS = List.of("ann", "bob", "cid");

    @Test
    void loadedTasksAreThoseThatWereAddedOneByOne() throws StoreFailure {
        for (long seed = 0; seed < 20; seed++) {
            var random = new SplittableRandom(seed);
            var store = new MemoryStore();
            var order = new PriorityOrder(UserWeights.EQUAL);
            var applied = EngineState.of(store.open(), order, 0);
            var changes = new ArrayList<Change>();
            for (int id = 1; id <= 200; id++) {
                var change = new Change.TaskSaved(task(id, random));
                changes.add(change);
                applied = applied.apply(change);
            }
            store.commit(changes);

            var loaded = EngineState.of(store.peek(), order, 0);

            assertThat(loaded.tasks()).as("seed %d", seed).isEqualTo(applied.tasks());
            assertThat(loaded.waiting()).as("seed %d", seed).isEqualTo(applied.waiting());
            assertThat(loaded.drafts()).isEqualTo(applied.drafts());
            assertThat(loaded.lastIds().task()).isEqualTo(applied.lastIds().task());
            assertThat(loaded.taskBytes()).isEqualTo(applied.taskBytes());
            assertThat(loaded.running()).isEqualTo(applied.running());
        }
    }

    /** Queued tasks of few shapes, some in lanes, delayed, running or drafts. */
    private static Task task(int id, SplittableRandom random) {
        var spec =
                TaskSpec.of("task " + id, "true", Need.gpus(1 + random.nextInt(3)), "/home")
                        .with(Priority.values()[random.nextInt(3)]);
        if (random.nextInt(6) == 0) {
            spec = spec.with(Duration.ofHours(1 + random.nextInt(2)));
        }
        boolean isInLane = random.nextInt(6) == 0;
        if (isInLane) {
            spec = spec.with(new Lane.Named("lane " + random.nextInt(3)), OptionalInt.empty());
        }
        var owner = Owner.unix(USERS.get(random.nextInt(USERS.size())));
        // The clock of the machine may have been set back meanwhile.
        var at = NOON.plusSeconds(random.nextInt(1000));
        var task = Task.queued(new TaskId(id), owner, spec, at);
        return switch (random.nextInt(10)) {
            case 0 -> Task.draft(new TaskId(id), owner, spec, at);
            case 1 -> task.withNotBefore(Optional.of(at.plusSeconds(60)));
            case 2 -> isInLane ? task : task.after(new TaskTransition.Start(1));
            default -> task;
        };
    }

    @Test
    void aLongQueueIsSortedIntoGroupsOnceAndEqualPartsAreInMemoryOnce() throws StoreFailure {
        int tasks = 1000;
        var store = new MemoryStore();
        store.open();
        var changes = new ArrayList<Change>();
        for (int id = 1; id <= tasks; id++) {
            var owner = new Owner("unix:ann", new String("ann"));
            var spec = TaskSpec.of("name", "true", Need.gpus(1 + id % 2), new String("/home"));
            changes.add(new Change.TaskSaved(Task.queued(new TaskId(id), owner, spec, NOON)));
        }
        store.commit(changes);
        var order = new CountingOrder();

        var loaded = EngineState.of(store.peek(), order, 0);

        assertThat(order.groups).isEqualTo(tasks);
        var first = loaded.tasks().get(new TaskId(1)).orElseThrow();
        var third = loaded.tasks().get(new TaskId(3)).orElseThrow();
        assertThat(third.owner()).isSameAs(first.owner());
        assertThat(third.spec().requirements()).isSameAs(first.spec().requirements());
        assertThat(third.spec().options()).isSameAs(first.spec().options());
        assertThat(third.spec().script().workDir()).isSameAs(first.spec().script().workDir());
    }

    /** Counts how often the group of a task is computed. */
    private static final class CountingOrder implements QueueOrder {
        private int groups;

        @Override
        public Precedence precedence(TaskGroup group, ToDoubleFunction<String> used) {
            return new PriorityOrder(UserWeights.EQUAL).precedence(group, used);
        }

        @Override
        public LengthKey lengthKey(Task task) {
            groups++;
            return QueueOrder.super.lengthKey(task);
        }

        @Override
        public String configName() {
            return "counting";
        }
    }
}
