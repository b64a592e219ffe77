package dev.berth.engine;

import dev.berth.engine.Engine.Envelope;
import dev.berth.port.Fact;
import dev.berth.port.FactReceiver;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The thread of the engine: sleeps until a command arrives or work is due, then hands over all
 * commands that have arrived. While one batch is being committed the next one collects, so under
 * load many commands share a commit.
 */
public final class EngineLoop implements AutoCloseable {

    /** Maximum number of arrivals in one commit, which limits how long a caller waits. */
    private static final int BATCH = 1024;

    /** What arrives together is decided and stored together. */
    private final LinkedBlockingQueue<List<Envelope>> inbox = new LinkedBlockingQueue<>();

    private final List<Consumer<EngineState>> listeners = new CopyOnWriteArrayList<>();
    private final InstantSource clock;
    private final Engine engine;
    private final Thread thread;
    private volatile @Nullable EngineState lastPublished;
    private volatile boolean closed;

    /** Creates the engine; the node reports its facts to the given consumer. */
    @FunctionalInterface
    public interface EngineFactory<E extends Exception> {
        Engine recover(FactReceiver facts) throws E;
    }

    private <E extends Exception> EngineLoop(InstantSource clock, EngineFactory<E> recovery)
            throws E {
        this.clock = clock;
        this.engine = recovery.recover(new Inbox());
        this.thread = Thread.ofPlatform().name("engine").daemon().unstarted(this::loop);
    }

    /** Creates the engine and starts its thread. */
    public static <E extends Exception> EngineLoop start(
            InstantSource clock, EngineFactory<E> recovery) throws E {
        var loop = new EngineLoop(clock, recovery);
        loop.thread.start();
        return loop;
    }

    public EngineState state() {
        return engine.state();
    }

    public Engine engine() {
        return engine;
    }

    /** The time for a new request. */
    public Instant now() {
        return clock.instant();
    }

    /** The reply comes after the commit. */
    public CompletableFuture<EngineReply> ask(EngineCommand.Request request) {
        var reply = new CompletableFuture<EngineReply>();
        inbox.add(List.of(new Envelope(request, reply::complete)));
        return reply;
    }

    /**
     * Calls {@code listener} with each published state, on the engine's thread: it must not block.
     */
    public void onPublish(Consumer<EngineState> listener) {
        listeners.add(listener);
        lastPublished = null;
    }

    public void observe(Fact fact) {
        inbox.add(List.of(new Envelope(new EngineCommand.Observe(now(), fact), _ -> {})));
    }

    /** The reply to a fact comes after its commit, like every other. */
    private final class Inbox implements FactReceiver {
        @Override
        public void accept(Fact fact) {
            observe(fact);
        }

        /** The reply to the last one says that all are stored. */
        @Override
        public void accept(List<Fact> facts, Runnable stored) {
            var together = new ArrayList<Envelope>();
            for (var fact : facts) {
                boolean isLast = together.size() == facts.size() - 1;
                together.add(
                        new Envelope(
                                new EngineCommand.Observe(now(), fact),
                                reply -> {
                                    if (isLast && !(reply instanceof EngineReply.Refused)) {
                                        stored.run();
                                    }
                                }));
            }
            inbox.add(List.copyOf(together));
        }
    }

    private void loop() {
        while (!closed) {
            var batch = nextBatch();
            if (!batch.isEmpty()) {
                engine.run(batch, now(), this::publish);
            }
            publish();
        }
    }

    /** Publishes each state once. */
    @SuppressWarnings("ReferenceEquality")
    private void publish() {
        var state = engine.state();
        if (state != lastPublished) {
            lastPublished = state;
            listeners.forEach(listener -> listener.accept(state));
        }
    }

    /** Empty if no command has arrived and no work is due. */
    private List<Envelope> nextBatch() {
        var batch = new ArrayList<Envelope>();
        try {
            // Rounds up: toMillis() drops the fraction.
            var first = inbox.poll(untilDue().toMillis() + 1, TimeUnit.MILLISECONDS);
            if (first != null) {
                var others = new ArrayList<List<Envelope>>();
                inbox.drainTo(others, BATCH - 1);
                batch.addAll(first);
                others.forEach(batch::addAll);
            } else if (engine.isDue(now())) {
                batch.add(tick());
            }
        } catch (InterruptedException _) {
            // No code interrupts this thread on purpose, and an extra tick is harmless.
            batch.add(tick());
        }
        return batch;
    }

    private Duration untilDue() {
        var now = now();
        var latest = now.plus(engine.queueSettings().pollInterval());
        boolean isSet = engine.isStoreFailing() || engine.due().isBefore(latest);
        var due = isSet ? engine.due() : latest;
        return due.isBefore(now) ? Duration.ZERO : Duration.between(now, due);
    }

    private Envelope tick() {
        return new Envelope(new EngineCommand.Tick(now()), _ -> {});
    }

    /** Stops deciding. Running tasks go on, and the next server adopts them. */
    @Override
    public void close() {
        closed = true;
        inbox.add(List.of(tick()));
        try {
            thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
