package dev.berth.retention;

import dev.berth.core.access.Actor;
import dev.berth.engine.EngineReply;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskFolders;
import dev.berth.port.read.EndedTasks;
import dev.berth.port.read.EndedTasks.EndedTask;
import dev.berth.port.read.EndedTasks.Position;
import dev.berth.port.read.EndedTasks.Selection;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.OptionalLong;

/**
 * Decides what to remove and to fold next. One call of {@link #step} is one small batch, so that
 * other work is never delayed for long.
 */
public final class Retention {

    private static final Logger log = LoggerFactory.getLogger(Retention.class);

    /** So long after its end people may still look for the files in the attempt's directory. */
    private static final Duration FOLD_AFTER = Duration.ofHours(1);

    static final int BATCH = 200;

    private final RetentionRules rules;
    private final TaskRemover remover;
    private final EndedTasks endedTasks;
    private final TaskFolders folders;
    private final InstantSource clock;

    /** The last task that was folded. A new server examines all tasks once. */
    private Position folded = Position.START;

    public Retention(
            RetentionRules rules,
            TaskRemover remover,
            EndedTasks endedTasks,
            TaskFolders folders,
            InstantSource clock) {
        this.rules = rules;
        this.remover = remover;
        this.endedTasks = endedTasks;
        this.folders = folders;
        this.clock = clock;
    }

    /** How many tasks are too many; counted once in each pass, because counting reads them all. */
    private OptionalLong excess = OptionalLong.empty();

    /** True if there may be more to do at once; otherwise the pass is over. */
    boolean step() throws StoreFailure, IOException {
        if (removeOld() || removeExcess() || fold()) {
            return true;
        }
        excess = OptionalLong.empty();
        return false;
    }

    private boolean removeOld() throws StoreFailure, IOException {
        var limit = rules.endedBefore(clock.instant());
        return limit.isPresent() && remove(Selection.endedBefore(limit.get()), BATCH);
    }

    private boolean removeExcess() throws StoreFailure, IOException {
        if (rules.keepTasks() == 0) {
            return false;
        }
        if (excess.isEmpty()) {
            excess = OptionalLong.of(rules.excess(endedTasks.count(Selection.ALL)));
        }
        int batch = (int) Math.min(excess.getAsLong(), BATCH);
        excess = OptionalLong.of(excess.getAsLong() - batch);
        return batch > 0 && remove(Selection.ALL, batch);
    }

    private boolean remove(Selection selection, int limit) throws StoreFailure, IOException {
        var removal = remover.remove(Actor.BERTH, selection, limit);
        if (!(removal.reply() instanceof EngineReply.Done)) {
            log.warn("ended tasks could not be removed: {}", removal.reply());
            return false;
        }
        return removal.count() > 0;
    }

    private boolean fold() throws StoreFailure, IOException {
        var old = Selection.endedBefore(clock.instant().minus(FOLD_AFTER));
        var tasks = endedTasks.list(old, folded, BATCH);
        if (tasks.isEmpty()) {
            return false;
        }
        folders.fold(tasks.stream().map(EndedTask::id).toList());
        folded = tasks.getLast().position();
        return true;
    }
}
