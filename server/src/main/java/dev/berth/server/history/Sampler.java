package dev.berth.server.history;

import dev.berth.core.card.CardState;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.State;
import dev.berth.engine.port.History;
import dev.berth.engine.port.History.Subject;
import dev.berth.engine.port.Minute;
import dev.berth.engine.port.StoreFailure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Looks at the published state once a second and hands the history a minute at a time; what an
 * attempt leaves is handed over when it ends.
 */
public final class Sampler implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** What a store that fails makes us hold; beyond that the oldest is lost. */
    private static final int MOST_UNKEPT = 20_000;

    private final History history;

    /** Guarded by this, as is what it holds. */
    private final Map<Subject, Open> open = new HashMap<>();

    /** Guarded by this. Nobody writes into them any more. */
    private final List<Minute> unkept = new ArrayList<>();

    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch over;

    private long minute = Long.MIN_VALUE;
    private long look;
    private boolean isFailing;

    /** A minute that is being filled. */
    private static final class Open {
        private final Minute minute;
        private long seen;

        Open(Minute minute) {
            this.minute = minute;
        }
    }

    /** One that looks only when told to. */
    public Sampler(History history) {
        this(history, new CountDownLatch(0));
    }

    private Sampler(History history, CountDownLatch over) {
        this.history = history;
        this.over = over;
    }

    /** Looks once a second until it is closed. */
    public static Sampler start(History history, EngineLoop engine) {
        var sampler = new Sampler(history, new CountDownLatch(1));
        Thread.ofPlatform().name("history").daemon().start(() -> sampler.loop(engine));
        return sampler;
    }

    private void loop(EngineLoop engine) {
        try {
            while (!closing.await(untilNextSecond(engine.now()), TimeUnit.NANOSECONDS)) {
                look(engine.state(), engine.now());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException defect) {
            LOG.error("the history stands still until the server is started again", defect);
        } finally {
            over.countDown();
        }
    }

    private static long untilNextSecond(Instant now) {
        return SECOND_NANOS - now.getNano();
    }

    /** Takes one sample of everything; two in the same second count as one. */
    public void look(State state, Instant now) {
        List<Minute> due;
        synchronized (this) {
            long second = now.getEpochSecond();
            if (Minute.numberAt(second) != minute) {
                open.values().forEach(one -> unkept.add(one.minute));
                open.clear();
                minute = Minute.numberAt(second);
            }
            look++;
            sample(state, (int) Math.floorMod(second, (long) Minute.SECONDS));
            closeEnded();
            // A store that fails is tried once a minute.
            boolean rests = isFailing && look % Minute.SECONDS != 0;
            due = rests ? List.of() : List.copyOf(unkept);
        }
        keep(due);
    }

    private void sample(State state, int second) {
        for (var card : state.cards()) {
            if (card.getValue() instanceof CardState.Readable(_, var reading)) {
                Samples.put(reading, at(new Subject.OfCard(card.getKey())), second);
            }
        }
        for (var attempt : state.attempts()) {
            var claims = attempt.getValue().claims();
            if (!claims.isEmpty()) {
                var place = at(new Subject.OfAttempt(attempt.getKey()));
                Samples.put(attempt.getValue(), state, place, second);
            }
        }
    }

    private Minute at(Subject subject) {
        var place = open.get(subject);
        if (place == null) {
            place = new Open(new Minute(subject, minute));
            open.put(subject, place);
        }
        place.seen = look;
        return place.minute;
    }

    /** A card that cannot be read may come back within its minute. */
    private void closeEnded() {
        open.values()
                .removeIf(
                        one -> {
                            boolean hasEnded =
                                    one.seen != look
                                            && one.minute.subject() instanceof Subject.OfAttempt;
                            return hasEnded && unkept.add(one.minute);
                        });
    }

    private void keep(List<Minute> due) {
        if (due.isEmpty()) {
            return;
        }
        try {
            history.keep(due);
            forget(due.size());
            if (isFailing) {
                isFailing = false;
                LOG.info("the history is kept again");
            }
        } catch (StoreFailure failure) {
            if (!isFailing) {
                isFailing = true;
                LOG.warn("no history is kept: {}", failure.getMessage());
            }
            forget(due.size() - MOST_UNKEPT);
        }
    }

    private synchronized void forget(int oldest) {
        if (oldest > 0) {
            unkept.subList(0, oldest).clear();
        }
    }

    /** What was sampled and is not kept yet. */
    public synchronized List<Minute> fresh(Subject subject) {
        var fresh = new ArrayList<Minute>();
        for (var one : unkept) {
            if (one.subject().equals(subject)) {
                fresh.add(one);
            }
        }
        var filling = open.get(subject);
        if (filling != null) {
            fresh.add(filling.minute.copy());
        }
        return fresh;
    }

    /** Keeps what there is of the last minute. */
    @Override
    public void close() throws InterruptedException {
        closing.countDown();
        if (!over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            LOG.warn("the history did not stop in time");
            return;
        }
        flush();
    }

    /** Keeps all there is, in the middle of a minute. */
    public void flush() {
        List<Minute> due;
        synchronized (this) {
            open.values().forEach(one -> unkept.add(one.minute));
            open.clear();
            due = List.copyOf(unkept);
        }
        keep(due);
    }
}
