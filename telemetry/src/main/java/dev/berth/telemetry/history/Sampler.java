package dev.berth.telemetry.history;

import dev.berth.core.gpu.GpuState;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineState;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory;
import dev.berth.port.read.SampleHistory.Subject;

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
 * Samples the published state once a second and stores one minute at a time; the samples of an
 * attempt are stored when it ends.
 */
public final class Sampler implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    /** The number of minutes kept in memory while the store fails; then the oldest are lost. */
    private static final int MAX_UNSTORED = 20_000;

    private final SampleHistory history;

    /** Guarded by this, including the values. */
    private final Map<Subject, Open> open = new HashMap<>();

    /** Guarded by this. The minutes are complete and no longer change. */
    private final List<MinuteSamples> unstored = new ArrayList<>();

    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch stopped;

    private long minute = Long.MIN_VALUE;
    private long sampleNumber;
    private boolean isFailing;

    /** A minute that is being filled. */
    private static final class Open {
        private final MinuteSamples minute;
        private long seen;

        Open(MinuteSamples minute) {
            this.minute = minute;
        }
    }

    /** Samples only when {@link #takeSample} is called. */
    public Sampler(SampleHistory history) {
        this(history, new CountDownLatch(0));
    }

    private Sampler(SampleHistory history, CountDownLatch over) {
        this.history = history;
        this.stopped = over;
    }

    /** Samples once a second until it is closed. */
    public static Sampler start(SampleHistory history, EngineLoop engine) {
        var sampler = new Sampler(history, new CountDownLatch(1));
        Thread.ofPlatform().name("history").daemon().start(() -> sampler.loop(engine));
        return sampler;
    }

    private void loop(EngineLoop engine) {
        try {
            while (!closing.await(untilNextSecond(engine.now()), TimeUnit.NANOSECONDS)) {
                takeSample(engine.state(), engine.now());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException defect) {
            LOG.error("the history stands still until the server is started again", defect);
        } finally {
            stopped.countDown();
        }
    }

    private static long untilNextSecond(Instant now) {
        return SECOND_NANOS - now.getNano();
    }

    /** Takes one sample of all subjects; two in the same second count as one. */
    public void takeSample(EngineState state, Instant now) {
        List<MinuteSamples> due;
        synchronized (this) {
            long second = now.getEpochSecond();
            if (MinuteSamples.numberAt(second) != minute) {
                open.values().forEach(one -> unstored.add(one.minute));
                open.clear();
                minute = MinuteSamples.numberAt(second);
            }
            sampleNumber++;
            sample(state, (int) Math.floorMod(second, (long) MinuteSamples.SECONDS));
            closeEnded();
            // While the store fails, it is retried once a minute.
            boolean rests = isFailing && sampleNumber % MinuteSamples.SECONDS != 0;
            due = rests ? List.of() : List.copyOf(unstored);
        }
        store(due);
    }

    private void sample(EngineState state, int second) {
        for (var card : state.gpus()) {
            if (card.getValue() instanceof GpuState.Readable(_, var reading)) {
                SampleReader.put(reading, minuteOf(new Subject.OfGpu(card.getKey())), second);
            }
        }
        for (var attempt : state.attempts()) {
            var claims = attempt.getValue().claims();
            if (!claims.isEmpty()) {
                var entry = minuteOf(new Subject.OfAttempt(attempt.getKey()));
                SampleReader.put(attempt.getValue(), state, entry, second);
            }
        }
    }

    private MinuteSamples minuteOf(Subject subject) {
        var entry = open.get(subject);
        if (entry == null) {
            entry = new Open(new MinuteSamples(subject, minute));
            open.put(subject, entry);
        }
        entry.seen = sampleNumber;
        return entry.minute;
    }

    /** Only attempts: a GPU that cannot be read may become readable within its minute. */
    private void closeEnded() {
        open.values()
                .removeIf(
                        one -> {
                            boolean hasEnded =
                                    one.seen != sampleNumber
                                            && one.minute.subject() instanceof Subject.OfAttempt;
                            return hasEnded && unstored.add(one.minute);
                        });
    }

    private void store(List<MinuteSamples> due) {
        if (due.isEmpty()) {
            return;
        }
        try {
            history.save(due);
            removeOldest(due.size());
            if (isFailing) {
                isFailing = false;
                LOG.info("the history is kept again");
            }
        } catch (StoreFailure failure) {
            if (!isFailing) {
                isFailing = true;
                LOG.warn("no history is kept: {}", failure.getMessage());
            }
            removeOldest(due.size() - MAX_UNSTORED);
        }
    }

    private synchronized void removeOldest(int oldest) {
        if (oldest > 0) {
            unstored.subList(0, oldest).clear();
        }
    }

    /** Samples that are not stored yet. */
    public synchronized List<MinuteSamples> unstoredOf(Subject subject) {
        var fresh = new ArrayList<MinuteSamples>();
        for (var one : unstored) {
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

    /** Stores the samples of the last minute. */
    @Override
    public void close() throws InterruptedException {
        closing.countDown();
        if (!stopped.await(CLOSE_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            LOG.warn("the history did not stop in time");
            return;
        }
        flush();
    }

    /** Stores all samples, in the middle of a minute. */
    public void flush() {
        List<MinuteSamples> due;
        synchronized (this) {
            open.values().forEach(one -> unstored.add(one.minute));
            open.clear();
            due = List.copyOf(unstored);
        }
        store(due);
    }
}
