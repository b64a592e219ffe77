package dev.berth.retention;

import dev.berth.core.access.Actor;
import dev.berth.core.id.TaskId;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineCommand.OwnedTask;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineReply;
import dev.berth.engine.RemovalDecider;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskFolders;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.EndedTasks.Position;
import dev.berth.port.read.EndedTasks.Selection;
import dev.berth.port.read.TaskQueries;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Removes ended tasks, one batch at a time: first their folders, then their records. In this order
 * a crash leaves records without a folder, never a folder without a record: that would look as if
 * the database were older than the folders. It also frees space where the database cannot be
 * written because the disk is full; then the removal is repeated.
 */
public final class TaskRemover {

    /** Maximum number of tasks in one commit. */
    public static final int MAX_BATCH = 500;

    /** Longer than any commit that still succeeds. */
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(30);

    private final EngineLoop engine;
    private final TaskQueries queries;
    private final EndedTasks endedTasks;
    private final TaskFolders folders;
    private final Failpoints failpoints;

    /** Two removals of one task would both report it. */
    private final ReentrantLock lock = new ReentrantLock();

    public TaskRemover(
            EngineLoop engine,
            TaskQueries queries,
            EndedTasks endedTasks,
            TaskFolders folders,
            Failpoints failpoints) {
        this.engine = engine;
        this.queries = queries;
        this.endedTasks = endedTasks;
        this.folders = folders;
        this.failpoints = failpoints;
    }

    /**
     * @param reply of the engine; {@link EngineReply.Done} if the tasks are removed
     * @param count how many were removed
     */
    public record Removal(EngineReply reply, int count) {}

    /** Removes a task. The count is 0 if there is no such task. */
    public Removal remove(Actor actor, TaskId id) throws StoreFailure, IOException {
        lock.lock();
        try {
            var refusal = RemovalDecider.refusal(engine.state(), List.of(id));
            if (refusal.isPresent()) {
                return new Removal(new EngineReply.Refused(refusal.get()), 0);
            }
            var found = queries.find(id);
            return found.isEmpty()
                    ? none()
                    : remove(actor, List.of(new OwnedTask(id, found.get().task().owner())));
        } finally {
            lock.unlock();
        }
    }

    /** Removes some of the selected tasks, those that ended first. */
    public Removal remove(Actor actor, Selection selection, int limit)
            throws StoreFailure, IOException {
        lock.lock();
        try {
            var found =
                    endedTasks.list(selection, Position.START, Math.min(limit, MAX_BATCH)).stream()
                            .map(task -> new OwnedTask(task.id(), task.owner()))
                            .toList();
            return found.isEmpty() ? none() : remove(actor, found);
        } finally {
            lock.unlock();
        }
    }

    public long count(Selection selection) throws StoreFailure {
        return endedTasks.count(selection);
    }

    private static Removal none() {
        return new Removal(new EngineReply.Done(), 0);
    }

    private Removal remove(Actor actor, List<OwnedTask> tasks) throws IOException {
        var ids = tasks.stream().map(OwnedTask::id).toList();
        failpoints.reach("removal.before-discard");
        folders.discard(ids);
        failpoints.reach("removal.after-discard");
        var reply =
                ask(
                        EngineCommand.by(
                                actor,
                                new EngineCommand.RemoveTasks(engine.now(), actor.owner(), tasks)));
        return new Removal(reply, reply instanceof EngineReply.Done ? ids.size() : 0);
    }

    private EngineReply ask(EngineCommand.Request command) {
        try {
            return engine.ask(command).get(COMMIT_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            return new EngineReply.Unavailable(StoreFailure.Kind.UNAVAILABLE);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return new EngineReply.Unavailable(StoreFailure.Kind.UNAVAILABLE);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the engine failed", e);
        }
    }
}
