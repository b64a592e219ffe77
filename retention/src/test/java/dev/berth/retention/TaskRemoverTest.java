package dev.berth.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.access.Actor;
import dev.berth.core.access.Via;
import dev.berth.core.id.TaskId;
import dev.berth.engine.EngineReply;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.read.EndedTasks.Selection;
import dev.berth.testengine.TestEngine;
import dev.berth.testkit.node.FakeTaskFolders;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class TaskRemoverTest {

    private static final Actor ANN = new Actor(TestEngine.ANN, Optional.of(Via.TOKEN));

    private final TestEngine engine = TestEngine.open();
    private final FakeTaskFolders folders = new FakeTaskFolders();
    private final List<String> steps = new ArrayList<>();
    private final Failpoints failpoints =
            point -> steps.add(point + " rows=" + engine.store.find(new TaskId(1)).isPresent());
    private final TaskRemover remover =
            new TaskRemover(engine.loop, engine.store, engine.store, folders, failpoints);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void theFolderGoesFirstAndTheRecordsAfterIt() throws Exception {
        var task = ended();

        assertThat(remover.remove(ANN, task))
                .isEqualTo(new TaskRemover.Removal(new EngineReply.Done(), 1));

        assertThat(steps)
                .containsExactly(
                        "removal.before-discard rows=true", "removal.after-discard rows=true");
        assertThat(folders.discarded()).containsExactly(task);
        assertThat(engine.store.find(task)).isEmpty();
        assertThat(engine.store.attempts(task)).isEmpty();
        assertThat(engine.store.removal(task))
                .hasValueSatisfying(
                        event -> {
                            assertThat(event.actor()).isEqualTo(TestEngine.ANN);
                            assertThat(event.via()).contains(Via.TOKEN);
                            assertThat(event.owner()).contains(TestEngine.ANN);
                            assertThat(event.payload())
                                    .isInstanceOf(TaskPayload.TasksRemoved.class);
                        });
        assertThat(remover.remove(ANN, task).count()).as("again").isZero();
        assertThat(engine.submit("next").value()).isGreaterThan(task.value());
    }

    @Test
    void aTaskThatHasNotEndedIsRefusedAndKeepsItsFolder() throws Exception {
        var task = engine.submit("runs");

        assertThat(remover.remove(ANN, task).reply())
                .isInstanceOfSatisfying(
                        EngineReply.Refused.class,
                        refused ->
                                assertThat(refused.rejection().code()).isEqualTo("task.not_ended"));
        assertThat(remover.remove(ANN, Selection.ALL, 10).count()).isZero();
        assertThat(folders.discarded()).isEmpty();
    }

    @Test
    void aSelectionIsRemovedInBatchesWithOneEventEach() throws Exception {
        var tasks = List.of(ended(), ended(), ended());

        assertThat(remover.remove(ANN, Selection.ALL, 2).count()).isEqualTo(2);
        assertThat(remover.count(Selection.ALL)).isEqualTo(1);
        assertThat(remover.remove(ANN, Selection.ALL, 2).count()).isEqualTo(1);

        assertThat(folders.discarded()).containsExactlyElementsOf(tasks);
        assertThat(engine.store.eventsAfter(0, 1000))
                .filteredOn(event -> event.payload() instanceof TaskPayload.TasksRemoved)
                .hasSize(2);
    }

    @Test
    void whereTheFoldersCannotBeMovedTheRecordsStay() throws Exception {
        var task = ended();
        folders.setFailing(true);

        assertThatThrownBy(() -> remover.remove(ANN, task)).isInstanceOf(IOException.class);
        assertThat(engine.store.find(task)).isPresent();

        folders.setFailing(false);
        assertThat(remover.remove(ANN, task).count()).isEqualTo(1);
    }

    @Test
    void afterAFailedCommitTheRemovalCanBeRepeated() throws Exception {
        var task = ended();
        engine.store.failNextCommits(1, StoreFailure.Kind.FULL);

        assertThat(remover.remove(ANN, task).reply())
                .isEqualTo(new EngineReply.Unavailable(StoreFailure.Kind.FULL));
        assertThat(engine.store.find(task)).isPresent();

        assertThat(folders.discarded()).as("its space is free").containsExactly(task);
        assertThat(remover.remove(ANN, task).count()).isEqualTo(1);
    }

    private TaskId ended() {
        var task = engine.submit("short");
        engine.end(task, 0);
        return task;
    }
}
