package dev.berth.app;

import dev.berth.core.predict.LearnedBuilder;
import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.EndedRuns;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.Consumer;

/**
 * Reads the runs of earlier servers after the start, so that the start does not wait for them.
 * Until they are read, nothing is predicted from them.
 */
final class EndedRunsLoader implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EndedRunsLoader.class);

    /** More would not change predictions: each group keeps few runs. */
    private static final int MAX_TASKS = 100_000;

    private final EndedRuns runs;
    private final Consumer<Fact> engine;
    private final Thread thread;

    private EndedRunsLoader(EndedRuns runs, Consumer<Fact> engine) {
        this.runs = runs;
        this.engine = engine;
        this.thread = Thread.ofPlatform().daemon().name("ended-runs").unstarted(this::load);
    }

    static EndedRunsLoader start(EndedRuns runs, Consumer<Fact> engine) {
        var loader = new EndedRunsLoader(runs, engine);
        loader.thread.start();
        return loader;
    }

    private void load() {
        long begin = System.nanoTime();
        var builder = new LearnedBuilder();
        try {
            runs.readEndedRuns(MAX_TASKS, builder::add);
        } catch (StoreFailure e) {
            log.warn("the runs of earlier servers could not be read: predictions start anew", e);
            return;
        }
        var learned = builder.build();
        engine.accept(new Fact.EndedRunsRead(learned));
        log.info(
                "ended runs read groups={} ms={}",
                learned.groups().size(),
                (System.nanoTime() - begin) / 1_000_000);
    }

    @Override
    public void close() throws InterruptedException {
        thread.join();
    }
}
