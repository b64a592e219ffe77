package dev.berth.engine;

import dev.berth.engine.Engine.Envelope;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Reports;

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
 * The thread that drives the engine: sleeps until something arrives or is due, then hands over all
 * that has gathered. While one batch is being committed the next one gathers, so under load commits
 * are shared.
 */
public final class EngineLoop implements AutoCloseable {

    /** Commands in one commit at most, so that nobody waits behind an endless batch. */
    private static final int BATCH = 1024;

    private final LinkedBlockingQueue<Envelope> inbox = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> recovered = new CompletableFuture<>();
    private final List<Consumer<State>> listeners = new CopyOnWriteArrayList<>();
    private final InstantSource clock;
    private final Reports reports;
    private final Engine engine;
    private final Thread thread;
    private volatile @Nullable State told;
    private volatile boolean closed;

    /** Makes the engine, given the place where its node's facts go. */
    @FunctionalInterface
    public interface Recovery<E extends Exception> {
        Engine recover(Consumer<Fact> facts) throws E;
    }

    private <E extends Exception> EngineLoop(
            InstantSource clock, Reports reports, Recovery<E> recovery) throws E {
        this.clock = clock;
        this.reports = reports;
        this.engine = recovery.recover(this::observe);
        this.thread = Thread.ofPlatform().name("engine").daemon().unstarted(this::loop);
    }

    /** Makes the engine and starts driving it. */
    public static <E extends Exception> EngineLoop start(InstantSource clock, Recovery<E> recovery)
            throws E {
        return start(clock, Reports.NONE, recovery);
    }

    /**
     * @param reports asked for the last word of each lane's attempt that ends
     */
    public static <E extends Exception> EngineLoop start(
            InstantSource clock, Reports reports, Recovery<E> recovery) throws E {
        var loop = new EngineLoop(clock, reports, recovery);
        loop.thread.start();
        return loop;
    }

    /** Done when every attempt of an earlier server has been answered for. */
    public CompletableFuture<Void> recovered() {
        return recovered.copy();
    }

    public State state() {
        return engine.state();
    }

    public Engine engine() {
        return engine;
    }

    /** The time to stamp a request with. */
    public Instant now() {
        return clock.instant();
    }

    /** The reply comes after the commit. */
    public CompletableFuture<Reply> ask(Command.Request request) {
        var reply = new CompletableFuture<Reply>();
        inbox.add(new Envelope(request, reply::complete));
        return reply;
    }

    /**
     * Shows each published state to {@code listener}, on the engine's own thread: it must be quick.
     */
    public void onPublish(Consumer<State> listener) {
        listeners.add(listener);
        told = null;
    }

    public void observe(Fact fact) {
        inbox.add(new Envelope(new Command.Observe(now(), fact), _ -> {}));
    }

    private void loop() {
        while (!closed) {
            if (engine.isRecovered()) {
                recovered.complete(null);
            }
            var batch = gather();
            if (!batch.isEmpty()) {
                engine.run(batch, now());
            }
            publish();
        }
    }

    /** Nobody is told of a state twice. */
    @SuppressWarnings("ReferenceEquality")
    private void publish() {
        var state = engine.state();
        if (state != told) {
            told = state;
            listeners.forEach(listener -> listener.accept(state));
        }
    }

    /** Nothing, where nothing has come and nothing is due. */
    private List<Envelope> gather() {
        var batch = new ArrayList<Envelope>();
        try {
            // A millisecond more, since what is less than one would be cut off.
            var first = inbox.poll(untilDue().toMillis() + 1, TimeUnit.MILLISECONDS);
            if (first != null) {
                batch.add(first);
                inbox.drainTo(batch, BATCH - 1);
            } else if (engine.isDue(now())) {
                batch.add(tick());
            }
        } catch (InterruptedException _) {
            // Nobody interrupts this thread to any purpose; to look around once more does no harm.
            batch.add(tick());
        }
        return heard(batch);
    }

    /** A script says how it ended and ends: its word must be known before its end is judged. */
    private List<Envelope> heard(List<Envelope> batch) {
        var heard = new ArrayList<Envelope>(batch.size());
        for (var envelope : batch) {
            if (envelope.command() instanceof Command.Observe(Instant at, Fact.Ended ended)) {
                engine.state()
                        .tasks()
                        .get(ended.attempt().task())
                        .filter(task -> task.spec().ofRun().isPresent())
                        .flatMap(reports::of)
                        .map(said -> new Fact.Spoken(ended.attempt(), said))
                        .map(fact -> new Envelope(new Command.Observe(at, fact), _ -> {}))
                        .ifPresent(heard::add);
            }
            heard.add(envelope);
        }
        return heard;
    }

    private Duration untilDue() {
        var now = now();
        var latest = now.plus(engine.queueing().poll());
        boolean isSet = engine.isStoreFailing() || engine.due().isBefore(latest);
        var due = isSet ? engine.due() : latest;
        return due.isBefore(now) ? Duration.ZERO : Duration.between(now, due);
    }

    private Envelope tick() {
        return new Envelope(new Command.Tick(now()), _ -> {});
    }

    /** Stops deciding. Running tasks are not touched: the next server takes them up. */
    @Override
    public void close() {
        closed = true;
        inbox.add(tick());
        try {
            thread.join(Duration.ofSeconds(10));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
