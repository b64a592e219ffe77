package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.CancelJournal;
import dev.berth.port.EngineMeter;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A store that takes no commits: cancels and alerts still get through. */
class FailingStoreTest {

    private static final Owner ANN = Owner.unix("ann");

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private final List<CancelJournal.PendingCancel> kept = new ArrayList<>();
    private final List<Event> unstored = new ArrayList<>();
    private final List<Event> storedLater = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Engine engine;

    private final CancelJournal journal =
            new CancelJournal() {
                @Override
                public List<PendingCancel> read() {
                    return List.copyOf(kept);
                }

                @Override
                public boolean add(PendingCancel cancel) {
                    return kept.add(cancel);
                }

                @Override
                public void clear() {
                    kept.clear();
                }
            };

    @BeforeEach
    void start() throws StoreFailure {
        engine =
                Engine.recover(
                        new Engine.Parts(
                                store,
                                node,
                                new Planner(SchedulingRules.DEFAULT),
                                QueueSettings.DEFAULT,
                                Failpoints.NONE,
                                EngineMeter.NONE,
                                journal),
                        0,
                        now);
        engine.onUnstoredAlert(
                new UnstoredAlertListener() {
                    @Override
                    public void unstored(Event alert) {
                        unstored.add(alert);
                    }

                    @Override
                    public void stored(Event alert) {
                        storedLater.add(alert);
                    }
                });
    }

    @Test
    void aCancelEndsItsTaskAtOnceAndIsRecordedLater() throws StoreFailure {
        var task = submit();
        store.failNextCommits(3, StoreFailure.Kind.FULL);
        assertThat(cancel(task)).isEqualTo(new EngineReply.CancelPending(task, true));
        assertThat(node.stopped).containsExactly(new AttemptId(task, 1));
        assertThat(kept).hasSize(1);

        observe(new Fact.Ended(new AttemptId(task, 1), new Ending.Exited(143), List.of()));
        tick();
        assertThat(node.stopped).as("one stop is enough").hasSize(1);
        tick();
        assertThat(store.find(task).orElseThrow().task().state())
                .isInstanceOf(TaskState.Cancelled.class);
        assertThat(kept).isEmpty();
        assertThat(node.stopped).hasSize(1);
    }

    @Test
    void aCancelOfAQueuedTaskIsHonouredAfterARestartBeforeItStarts() throws StoreFailure {
        observe(new Fact.DiskSpaceRead("here", true, 1));
        var task = submit();
        store.failNextCommits(1, StoreFailure.Kind.UNAVAILABLE);
        assertThat(cancel(task)).isInstanceOf(EngineReply.CancelPending.class);

        start();
        tick();
        assertThat(node.launched).isEmpty();
        assertThat(store.find(task).orElseThrow().task().state())
                .isInstanceOf(TaskState.Cancelled.class);
        assertThat(kept).isEmpty();
    }

    @Test
    void aFencedServerCancelsNothing() {
        var task = submit();
        store.failNextCommits(1, StoreFailure.Kind.FENCED);
        assertThat(cancel(task)).isInstanceOf(EngineReply.Unavailable.class);
        assertThat(node.stopped).isEmpty();
        assertThat(kept).isEmpty();
    }

    @Test
    void anAlertThatCannotBeStoredIsPassedOnOnce() {
        store.failNextCommits(20, StoreFailure.Kind.FULL);
        observe(new Fact.DiskSpaceRead("here", true, 1));
        for (int i = 0; i < 15; i++) {
            tick();
        }
        assertThat(unstored).extracting(Event::kind).containsExactly("alert.disk_low");
        assertThat(storedLater).isEmpty();
        for (int i = 0; i < 10; i++) {
            tick();
        }
        assertThat(storedLater).extracting(Event::kind).containsExactly("alert.disk_low");
    }

    @Test
    void aStoreThatFailsForLongerRaisesOneAlertAndOneWhenItWorksForGood() throws StoreFailure {
        for (int i = 0; i < 12; i++) {
            // Every other commit succeeds: the disk is nearly full.
            store.failNextCommits(1, StoreFailure.Kind.UNAVAILABLE);
            assertThat(trySubmit()).isInstanceOf(EngineReply.Unavailable.class);
            tick();
            submit();
        }
        assertThat(unstored).extracting(Event::kind).containsExactly("alert.store_unwritable");
        for (int i = 0; i < 40; i++) {
            now = now.plusSeconds(1);
            submit();
        }
        assertThat(unstored).hasSize(1);
        assertThat(store.eventsAfter(0, 1000))
                .filteredOn(event -> event.kind().equals("alert.store_writable"))
                .hasSize(1);
    }

    private TaskId submit() {
        return ((EngineReply.TaskAccepted) trySubmit()).task();
    }

    private EngineReply trySubmit() {
        var spec = TaskSpec.of("train", "true", Need.CPU, "/");
        return ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty()));
    }

    private EngineReply cancel(TaskId task) {
        return ask(new EngineCommand.Cancel(now, ANN, task));
    }

    private void observe(Fact fact) {
        engine.run(
                List.of(new Engine.Envelope(new EngineCommand.Observe(now, fact), _ -> {})), now);
    }

    private EngineReply ask(EngineCommand command) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void tick() {
        now = now.plus(Duration.ofSeconds(1));
        ask(new EngineCommand.Tick(now));
    }
}
