package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskStore;
import dev.berth.port.read.TaskQueries;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;

class MemoryStoreTest extends TaskStoreContract {

    private final MemoryStore home = new MemoryStore();

    @Override
    protected TaskStore nextServerStore() {
        return home.forAnotherServer();
    }

    @Override
    protected TaskQueries queries() {
        return home;
    }

    @Test
    void failsTheRequestedNumberOfCommits() throws Exception {
        var task =
                Task.queued(
                        new TaskId(1),
                        Owner.unix("alice"),
                        TaskSpec.of("a", "true", Need.CPU, "/"),
                        Instant.EPOCH);
        List<Change> changes = List.of(new Change.TaskSaved(task));
        home.open();
        home.failNextCommits(2, StoreFailure.Kind.FULL);

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> home.commit(changes))
                    .isInstanceOfSatisfying(
                            StoreFailure.class,
                            e -> assertThat(e.kind()).isEqualTo(StoreFailure.Kind.FULL));
        }
        assertThat(home.find(task.id())).isEmpty();

        home.commit(changes);
        assertThat(home.find(task.id())).isPresent();
        assertThat(home.peek().tasks()).containsExactly(task.stored());
        assertThat(home.open().epoch()).isEqualTo(2);
    }
}
