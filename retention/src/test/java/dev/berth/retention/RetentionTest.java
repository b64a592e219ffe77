package dev.berth.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.port.Failpoints;
import dev.berth.port.read.EndedTasks.Selection;
import dev.berth.testengine.TestEngine;
import dev.berth.testkit.node.FakeTaskFolders;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

class RetentionTest {

    private final TestEngine engine = TestEngine.open();
    private final FakeTaskFolders folders = new FakeTaskFolders();
    private Duration later = Duration.ZERO;

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void withoutRulesNothingIsEverRemoved() throws Exception {
        var tasks = ended(3);
        later = Duration.ofDays(10_000);

        pass(RetentionRules.KEEP_ALL);

        assertThat(left()).isEqualTo(3);
        assertThat(folders.discarded()).isEmpty();
        assertThat(folders.folded()).containsExactlyElementsOf(tasks);
    }

    @Test
    void tasksThatEndedTooLongAgoAreRemoved() throws Exception {
        var tasks = ended(2);
        var running = engine.submit("runs");
        var rules = new RetentionRules(30, 0);

        later = Duration.ofDays(30).minusHours(1);
        pass(rules);
        assertThat(left()).isEqualTo(2);

        later = Duration.ofDays(30).plusHours(1);
        pass(rules);
        assertThat(left()).isZero();
        assertThat(folders.discarded()).containsExactlyElementsOf(tasks);
        assertThat(engine.store.find(running)).isPresent();
        assertThat(engine.store.removal(tasks.getFirst()))
                .hasValueSatisfying(event -> assertThat(event.actor()).isEqualTo(Owner.BERTH));
    }

    @Test
    void ofTooManyTasksThoseThatEndedFirstAreRemoved() throws Exception {
        var slow = engine.submit("slow");
        var tasks = ended(Retention.BATCH + 3);
        engine.end(slow, 0);

        pass(new RetentionRules(0, 2));

        assertThat(left()).isEqualTo(2);
        assertThat(engine.store.find(slow)).as("has the lowest id, ended last").isPresent();
        assertThat(engine.store.find(tasks.getLast())).isPresent();
        assertThat(folders.discarded()).hasSize(Retention.BATCH + 2);
    }

    @Test
    void foldersAreFoldedAnHourAfterTheEndAndOnlyOnce() throws Exception {
        var tasks = ended(2);
        var retention = retention(RetentionRules.KEEP_ALL);

        later = Duration.ofMinutes(59);
        assertThat(retention.step()).isFalse();
        assertThat(folders.folded()).isEmpty();

        later = Duration.ofMinutes(61);
        assertThat(retention.step()).isTrue();
        assertThat(retention.step()).isFalse();
        assertThat(folders.folded()).containsExactlyElementsOf(tasks);
    }

    private void pass(RetentionRules rules) throws Exception {
        var retention = retention(rules);
        boolean hasMore = true;
        while (hasMore) {
            hasMore = retention.step();
        }
    }

    private Retention retention(RetentionRules rules) {
        var remover =
                new TaskRemover(engine.loop, engine.store, engine.store, folders, Failpoints.NONE);
        return new Retention(
                rules, remover, engine.store, folders, () -> Instant.now().plus(later));
    }

    private long left() {
        return engine.store.count(Selection.ALL);
    }

    private List<TaskId> ended(int count) {
        var tasks = new ArrayList<TaskId>();
        for (int i = 0; i < count; i++) {
            var task = engine.submit("short");
            engine.end(task, 0);
            tasks.add(task);
        }
        return tasks;
    }
}
