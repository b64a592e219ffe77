package dev.berth.node;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.ErrorSentence;
import dev.berth.node.shim.ConnectedShim;
import dev.berth.node.shim.ShimProgram;
import dev.berth.port.Node;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/** Prepares the directory of an attempt and starts its shim. */
final class AttemptLaunch {

    private static final Logger log = LoggerFactory.getLogger(AttemptLaunch.class);

    /** How far a launch came. */
    sealed interface Result {
        /**
         * @param program that runs its shim
         */
        record Spawned(AttemptPreparation.StartedShim shim, Instant startedAt, ShimProgram program)
                implements Result {}

        /** No process was created. */
        record NotSpawned(Ending ending) implements Result {}

        /** The directory was used before, and the database does not know that. */
        record UsedDirectory() implements Result {}
    }

    private final AttemptId id;
    private final NodeContext context;
    private final AttemptOutcome outcome;
    private final AttemptWindow window;
    private final ConnectedShim.Listener listener;

    /**
     * @param listener learns what happens to a shim that was started ahead
     */
    AttemptLaunch(
            AttemptId id,
            NodeContext context,
            AttemptOutcome outcome,
            AttemptWindow window,
            ConnectedShim.Listener listener) {
        this.id = id;
        this.context = context;
        this.outcome = outcome;
        this.window = window;
        this.listener = listener;
    }

    /**
     * @param isStopRequested asked once the directory is complete
     */
    Result start(Node.Launch launch, BooleanSupplier isStopRequested) {
        try {
            return tryToStart(launch, isStopRequested);
        } catch (LaunchAccounts.RefusedException refused) {
            launch.spec()
                    .script()
                    .text()
                    .runAs()
                    .ifPresent(account -> context.journal().refused(id, account));
            return refused(refused.reason());
        } catch (IOException failure) {
            return notSpawned(failure, new Ending.NotLaunched(MachineFaults.of(failure)));
        } catch (OutOfMemoryError failure) {
            return notSpawned(failure, new Ending.NotLaunched(MachineFaults.of(failure)));
        } catch (RuntimeException failure) {
            var reason = ErrorSentence.LAUNCH_FAILED.text(MachineFaults.message(failure));
            return notSpawned(failure, new Ending.LaunchFailed(reason));
        }
    }

    private Result tryToStart(Node.Launch launch, BooleanSupplier isStopRequested)
            throws IOException, LaunchAccounts.RefusedException {
        long begin = System.nanoTime();
        var refusal = context.gpus().refusal(launch);
        if (refusal.isPresent()) {
            log.info(
                    "task={} attempt={} returns to its queue: {}",
                    id.task(),
                    id.number(),
                    refusal.get());
            return new Result.NotSpawned(new Ending.NeverStarted());
        }
        context.failpoints().reach("node.before-directory");
        boolean isSpare = outcome.useSpareDirectory();
        var directory = outcome.directory();
        if (!isSpare && !directory.create() && outcome.isDirectoryUsed()) {
            return new Result.UsedDirectory();
        }
        var owner = context.launchAccounts().resolve(launch.spec().script().text().runAs());
        var preparation = new AttemptPreparation(context, directory, owner);
        var prepared = preparation.prepare(launch, isSpare);
        context.failpoints().reach("node.after-directory");
        if (isStopRequested.getAsBoolean() && outcome.preventStart()) {
            return new Result.NotSpawned(new Ending.NeverStarted());
        }
        window.openIfRequired(owner);
        outcome.openExitRecord();
        // By the engine's clock, which does not jump.
        var startedAt =
                launch.attempt()
                        .scheduledAt()
                        .plusNanos(System.nanoTime() - begin)
                        .truncatedTo(ChronoUnit.MICROS);
        var shim = preparation.start(id, prepared, listener);
        context.journal()
                .started(
                        id,
                        owner.isPresent() ? OptionalInt.of(owner.get().uid()) : OptionalInt.empty(),
                        shim.pid());
        context.failpoints().reach("node.after-spawn");
        return new Result.Spawned(shim, startedAt, prepared.program());
    }

    private Result refused(String reason) {
        log.info("task={} attempt={} is refused: {}", id.task(), id.number(), reason);
        window.close();
        return new Result.NotSpawned(new Ending.LaunchFailed(reason));
    }

    /** No process was created, so nothing uses the directory. */
    private Result notSpawned(Throwable failure, Ending ending) {
        log.warn(
                "task={} attempt={} cannot be started: {}",
                id.task(),
                id.number(),
                failure.toString());
        outcome.directory().removeUnused();
        outcome.close();
        window.close();
        return new Result.NotSpawned(ending);
    }
}
