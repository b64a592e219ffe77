package dev.berth.engine;

import dev.berth.port.Change;
import dev.berth.port.EngineMeter;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.TaskStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Optional;

/** Commits to the store and remembers whether the last commit failed. */
final class StoreWriter {

    private static final Logger log = LoggerFactory.getLogger(StoreWriter.class);

    private final TaskStore store;
    private final Failpoints failpoints;
    private final EngineMeter meter;
    private volatile Optional<StoreFailure> failure = Optional.empty();

    StoreWriter(TaskStore store, Failpoints failpoints, EngineMeter meter) {
        this.store = store;
        this.failpoints = failpoints;
        this.meter = meter;
    }

    /** What a commit came to. */
    sealed interface Outcome {
        record Committed() implements Outcome {}

        /**
         * Nothing was kept.
         *
         * @param halt why no task may start any more, where a retry cannot help
         */
        record Failed(StoreFailure failure, Optional<String> halt) implements Outcome {}
    }

    /**
     * Why the last commit failed; empty if it did not. Removed files can be back before the next
     * commit, so they are looked for again. Any thread may ask.
     */
    Optional<StoreFailure> failure() {
        var last = failure;
        return last.filter(it -> it.kind() == StoreFailure.Kind.REMOVED).isPresent()
                ? store.problem()
                : last;
    }

    /** The same, or why the next commit would fail. */
    Optional<StoreFailure> problem() {
        return failure().or(store::problem);
    }

    Outcome commit(List<Change> changes) {
        if (changes.isEmpty()) {
            return new Outcome.Committed();
        }
        try {
            failpoints.reach("engine.before-commit");
            var watch = meter.startTiming(EngineMeter.TimedStep.COMMIT);
            store.commit(changes);
            watch.stop();
            failpoints.reach("engine.after-commit");
            failure.ifPresent(_ -> log.info("the store takes commits again"));
            failure = Optional.empty();
            return new Outcome.Committed();
        } catch (StoreFailure unavailable) {
            if (failure.isEmpty()) {
                log.error("commit failed, nothing of it was kept: {}", unavailable.getMessage());
            }
            boolean isFenced = unavailable.kind() == StoreFailure.Kind.FENCED;
            return failed(
                    unavailable,
                    isFenced
                            ? Optional.ofNullable(unavailable.getMessage())
                                    .or(() -> Optional.of("fenced"))
                            : Optional.empty());
        } catch (RuntimeException defect) {
            // The store found a rule broken that the engine did not find: nothing was kept, and no
            // more tasks may start.
            log.error("the store refused a commit", defect);
            return failed(
                    new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "refused a commit", defect),
                    Optional.of("the store refused a commit: " + defect.getMessage()));
        }
    }

    private Outcome failed(StoreFailure why, Optional<String> halt) {
        failure = Optional.of(why);
        return new Outcome.Failed(why, halt);
    }
}
