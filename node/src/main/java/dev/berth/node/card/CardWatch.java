package dev.berth.node.card;

import dev.berth.core.card.CardId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Refusal;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Consumption;
import dev.berth.core.task.Run;
import dev.berth.core.task.Shape;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Fact.Departure;
import dev.berth.engine.port.Node;
import dev.berth.node.process.SearchPath;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads the cards once a second, ten times a second while it is awaited that an ended attempt is
 * off its cards or somebody in a lane waits for one, and at once when one ends. At most one probe
 * is out at a time, and nobody waits for it: an answer that does not come makes the cards unknown,
 * and nothing else.
 */
public final class CardWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CardWatch.class);

    private static final Duration USUAL = Duration.ofSeconds(1);
    private static final Duration QUICK = Duration.ofMillis(100);

    /** What has been out for less may still come; a server that was suspended asks anew first. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** For a lane that waits, looking takes a fifth of the time at most. */
    private static final int REST_PER_LOOK = 5;

    private static final Duration FIRST_ANSWER = Duration.ofSeconds(3);

    private final String node;
    private final CardSettings settings;
    private final Holders holders = new Holders();
    private final Occupancy occupancy;
    private final CardProbe probe;
    private final CardCare care;
    private final TallyNotes notes;
    private final CountDownLatch firstAnswer = new CountDownLatch(1);
    private final ExecutorService asking =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("card-probe").daemon().factory());
    private final Thread clock = Thread.ofPlatform().name("cards").daemon().unstarted(this::tick);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Guarded by the lock, from here on.
    private final CardBook book;
    private final Departures departures = new Departures();
    private final Tallies tallies = new Tallies(holders);
    private Consumer<Fact> facts = _ -> {};
    private Optional<Fact.CardsRead> told = Optional.empty();
    private boolean isAsking;
    private boolean isLookingOften;
    private boolean isClosed;
    private boolean isPoolChecked;
    private long nextAt;
    private long askedAt;

    private CardWatch(String node, String home, CardSettings settings, TallyNotes notes)
            throws IOException {
        this.node = node;
        this.settings = settings;
        this.occupancy = new Occupancy(home, holders);
        this.probe = Probes.open(settings, holders, SearchPath.of(System.getenv()));
        this.care =
                new CardCare(
                        node, settings.care(), probe, CanaryRun.USUAL_LIBRARY, System::nanoTime);
        this.notes = notes;
        this.book = new CardBook(node, System.nanoTime());
        this.nextAt = System.nanoTime();
    }

    /**
     * @param home what the processes of this home's attempts are marked with
     * @param files where it is kept what an attempt makes of its cards
     */
    public static CardWatch open(
            String node, String home, CardSettings settings, Function<AttemptId, Path> files)
            throws IOException {
        return new CardWatch(node, home, settings, new TallyNotes(files));
    }

    /** Which probe is used, for people. */
    public String probe() {
        return probe.name();
    }

    /** Returns when the first answer is in, or is late. */
    public void reportTo(Consumer<Fact> sink) {
        lock.lock();
        try {
            facts = sink;
        } finally {
            lock.unlock();
        }
        care.reportTo(sink);
        clock.start();
        try {
            if (!firstAnswer.await(FIRST_ANSWER.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("the cards have not been read yet: {} is slow", probe.name());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    // Attempts come and go.

    public void granted(Attempt attempt) {
        holders.granted(attempt);
        if (attempt.phase().begun().isPresent() && !attempt.claims().isEmpty()) {
            var earlier = notes.read(attempt.id());
            lock.lock();
            try {
                earlier.ifPresent(it -> tallies.resume(attempt.id(), it, System.nanoTime()));
            } finally {
                lock.unlock();
            }
        }
    }

    public void came(AttemptId attempt, Run run) {
        holders.came(attempt, run);
    }

    /** What an attempt that has not left its cards has made of them up to now. */
    public Optional<Consumption> consumption(AttemptId attempt) {
        lock.lock();
        try {
            return tallies.of(attempt, System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Finds out whether a card works again; told as {@link Fact.CardTested}. */
    public void test(CardId card) {
        care.test(card);
    }

    /** Why the cards of this order cannot be used any more, by the latest reading. */
    public Optional<Refusal> refusal(Node.Launch order) {
        var shape = Shape.of(order.spec());
        var planner = new Planner(order.terms().rules());
        lock.lock();
        try {
            return order.cards().stream()
                    .map(card -> book.state(card.id()))
                    .flatMap(Optional::stream)
                    .map(state -> holders.spot(state, order.attempt().id()))
                    .map(spot -> planner.refusal(shape, spot, order.terms().isForced()))
                    .flatMap(Optional::stream)
                    .findFirst();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Nothing of the attempt is left on the host. Returns whether it is off its cards, too; if not,
     * {@link #awaitDeparture} is to be called once its end was told.
     */
    public boolean vacate(AttemptId attempt, boolean hasRun) {
        var holder = holders.find(attempt);
        boolean isOff = !hasRun || holder.isEmpty() || holder.get().claims().isEmpty();
        if (!isOff && !probe.isImmediate()) {
            return false;
        }
        var _ = holders.gone(attempt);
        lock.lock();
        try {
            tallies.forget(attempt);
            if (probe.isImmediate() && book.shows(attempt)) {
                ask(System.nanoTime());
            }
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Reads at once and then often, until no card shows the attempt any more. */
    public void awaitDeparture(AttemptId attempt) {
        var claims = holders.gone(attempt).map(Holders.Holder::claims).orElse(List.of());
        lock.lock();
        try {
            tallies.forget(attempt);
            departures.add(attempt, claims, book, System.nanoTime());
            nextAt = System.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // Reading.

    private void tick() {
        lock.lock();
        try {
            while (!isClosed) {
                long now = System.nanoTime();
                if (!isAsking && now - nextAt >= 0) {
                    begin(now);
                }
                if (isAsking && now - askedAt >= PATIENCE.toNanos()) {
                    book.waited(probe.name(), now);
                    tell(List.of());
                }
                care.tick(now);
                long pause = isAsking ? QUICK.toNanos() : Math.max(1, nextAt - now);
                var _ = changed.awaitNanos(pause);
            }
        } catch (InterruptedException _) {
            log.debug("nobody watches the cards any more");
        } finally {
            lock.unlock();
        }
    }

    private void begin(long now) {
        if (probe.isImmediate()) {
            ask(now);
        } else {
            isAsking = true;
            askedAt = now;
            asking.execute(() -> ask(now));
        }
    }

    /** On the thread that may hang, unless the probe cannot. */
    private void ask(long begun) {
        try {
            var rows = occupancy.name(probe.read());
            take(begun, now -> book.answered(rows, now));
        } catch (ProbeFailure failure) {
            take(begun, now -> book.failed(failure.why(), now));
        } catch (RuntimeException defect) {
            log.error("reading the cards failed", defect);
            take(begun, now -> book.failed("reading them failed: " + defect, now));
        }
    }

    /** What an answer does to the book, given the time. */
    private interface Entry {
        void write(long now);
    }

    private void take(long begun, Entry entry) {
        lock.lock();
        try {
            long now = System.nanoTime();
            entry.write(now);
            tell(departures.judge(book, begun, now));
            tallies.read(book.states(), now);
            if (!isClosed) {
                notes.keep(tallies.due(Tallies.KEPT_EVERY, now));
            }
            care.read(book.states(), book.trouble().isEmpty(), begun, now);
            isAsking = false;
            nextAt = departures.cameAfter(begun) ? now : begun + pace(begun, now).toNanos();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        firstAnswer.countDown();
        warnOfAbsentCards();
    }

    private Duration pace(long begun, long now) {
        if (departures.areAwaited(now)) {
            return QUICK;
        }
        if (!isLookingOften) {
            return USUAL;
        }
        // A lane may wait all night, and a program that is started for each look takes its time.
        var gentle = Duration.ofNanos((now - begun) * REST_PER_LOOK);
        return gentle.compareTo(QUICK) < 0 ? QUICK : gentle.compareTo(USUAL) > 0 ? USUAL : gentle;
    }

    /** Ten times a second, while the load of the last second decides who gets a card. */
    public void lookOften(boolean isOften) {
        lock.lock();
        try {
            isLookingOften = isOften;
            if (isOften) {
                nextAt = System.nanoTime();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Only news; called with the lock, so that the order of facts is that of the readings. */
    private void tell(List<Departure> gone) {
        var now = new Fact.CardsRead(node, book.states(), List.of(), book.trouble());
        if (told.isPresent() && told.get().equals(now) && gone.isEmpty()) {
            return;
        }
        warn(told.flatMap(Fact.CardsRead::trouble), now.trouble());
        told = Optional.of(now);
        facts.accept(new Fact.CardsRead(node, now.cards(), gone, now.trouble()));
    }

    private static void warn(Optional<String> before, Optional<String> now) {
        if (before.isEmpty() && now.isPresent()) {
            log.warn("the cards cannot be read, nothing starts on them: {}", now.get());
        } else if (before.isPresent() && now.isEmpty()) {
            log.info("the cards can be read again");
        }
    }

    /** Once the driver has said which there are. */
    private void warnOfAbsentCards() {
        lock.lock();
        try {
            if (!isPoolChecked && book.trouble().isEmpty()) {
                isPoolChecked = true;
                var absent = settings.rules().pool().absentFrom(new TreeSet<>(book.indices()));
                if (!absent.isEmpty()) {
                    log.warn(
                            "gpu_ids or reserved_gpu_ids name cards that are not here: {}", absent);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
            notes.keep(tallies.due(Duration.ZERO, System.nanoTime()));
        } finally {
            lock.unlock();
        }
        notes.close();
        care.close();
        probe.close();
        asking.shutdownNow();
    }
}
