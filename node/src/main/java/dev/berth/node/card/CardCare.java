package dev.berth.node.card;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.engine.port.Fact;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Notices cards that are not to be trusted any more, and finds out whether they are again. It asks
 * for their health every ten seconds, every second while one is tested, and only after the cards
 * themselves have answered: a driver that hangs is not asked anything else.
 */
final class CardCare implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CardCare.class);

    private static final Duration LOOK_EVERY = Duration.ofSeconds(10);
    private static final Duration LOOK_OFTEN = Duration.ofSeconds(1);
    private static final Duration CANARYS_PATIENCE = Duration.ofSeconds(20);

    private final String node;
    private final CardSettings.Care settings;
    private final CardProbe probe;
    private final HealthProbe health;
    private final String cuda;
    private final LongSupplier clock;
    private final XidEar ear = new Ear();
    private final ExecutorService looking =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("card-health").daemon().factory());

    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock, from here on.
    private final Signs signs = new Signs();
    private final SortedMap<String, Trial> trials = new TreeMap<>();
    private final SortedMap<String, CanaryRun> canaries = new TreeMap<>();
    private Consumer<Fact> facts = _ -> {};
    private Optional<KernelLog> kernelLog = Optional.empty();
    private boolean isLooking;
    private boolean isRefusalTold;
    private boolean isClosed;
    private long nextLookAt;

    /**
     * @param cuda the library that the canary loads
     * @param clock in nanoseconds, that only goes forward
     */
    CardCare(
            String node,
            CardSettings.Care settings,
            CardProbe probe,
            String cuda,
            LongSupplier clock) {
        this.node = node;
        this.settings = settings;
        this.probe = probe;
        this.health = probe.health();
        this.cuda = cuda;
        this.clock = clock;
        this.nextLookAt = clock.getAsLong();
    }

    void reportTo(Consumer<Fact> sink) {
        lock.lock();
        try {
            facts = sink;
            if (hasHardware()) {
                probe.listen(ear);
                kernelLog = KernelLog.follow(settings.kernelLog(), ear);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasHardware() {
        return !probe.isImmediate();
    }

    // What the cards say.

    /**
     * The cards were asked for.
     *
     * @param hasAnswer the driver has answered
     */
    void read(List<CardState> cards, boolean hasAnswer, long asked, long now) {
        lock.lock();
        try {
            for (var trial : trials.values()) {
                var state =
                        cards.stream()
                                .filter(one -> one.card().id().equals(trial.card()))
                                .findFirst();
                trial.read(state, asked, now);
            }
            if (hasHardware() && hasAnswer && !isLooking && !isClosed && now - nextLookAt >= 0) {
                isLooking = true;
                looking.execute(this::look);
            }
            judge(now);
        } finally {
            lock.unlock();
        }
    }

    /** Time goes by, whether the driver answers or not. */
    void tick(long now) {
        lock.lock();
        try {
            judge(now);
        } finally {
            lock.unlock();
        }
    }

    /** Whether an answer about their health is out. */
    boolean isLooking() {
        lock.lock();
        try {
            return isLooking;
        } finally {
            lock.unlock();
        }
    }

    /** On the thread that may hang. */
    private void look() {
        long begun = clock.getAsLong();
        try {
            var looks = health.read();
            lock.lock();
            try {
                signs.looked(looks, begun, clock.getAsLong()).forEach(this::tell);
                isRefusalTold &= looks.isEmpty();
            } finally {
                lock.unlock();
            }
        } catch (ProbeFailure failure) {
            refused(failure.why());
        } catch (RuntimeException defect) {
            log.error("asking for the cards' health failed", defect);
        } finally {
            rest(begun);
        }
    }

    private void refused(String why) {
        lock.lock();
        try {
            if (!isRefusalTold) {
                log.info("the cards' health cannot be asked: {}", why);
                isRefusalTold = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void rest(long begun) {
        lock.lock();
        try {
            isLooking = false;
            nextLookAt = begun + (trials.isEmpty() ? LOOK_EVERY : LOOK_OFTEN).toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** From the threads of those who listen to the driver. */
    private final class Ear implements XidEar {
        @Override
        public void heard(String uuid, int number) {
            lock.lock();
            try {
                signs.heard(uuid, number, clock.getAsLong()).ifPresent(CardCare.this::tell);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void heard(PciAddress place, int number) {
            lock.lock();
            try {
                var uuid = signs.cardAt(place);
                if (uuid.isPresent()) {
                    heard(uuid.get(), number);
                } else {
                    log.warn("Xid {} at PCI {}, where Berth knows no card", number, place);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private void tell(Signs.Sign sign) {
        log.warn("card={} is not to be trusted: {}", sign.uuid(), sign.why());
        var trial = trials.get(sign.uuid());
        if (trial != null) {
            trial.against(sign.why());
        }
        facts.accept(new Fact.CardSick(new CardId(node, sign.uuid()), sign.kind(), sign.why()));
    }

    // The way back.

    /** Begins, unless it is under way. */
    void test(CardId card) {
        lock.lock();
        try {
            long now = clock.getAsLong();
            if (!trials.containsKey(card.uuid())) {
                trials.put(card.uuid(), new Trial(card, settings.recovery(), now));
                nextLookAt = now;
            }
        } finally {
            lock.unlock();
        }
    }

    private void judge(long now) {
        for (var trial : List.copyOf(trials.values())) {
            var uuid = trial.card().uuid();
            switch (trial.step(signs.complaint(uuid, trial.begun()), now)) {
                case Trial.Step.Wait _ -> {}
                case Trial.Step.Try(int index, int round) -> attempt(trial, index, round);
                case Trial.Step.Passed _ -> end(trial, Optional.empty());
                case Trial.Step.Failed(var why) -> end(trial, Optional.of(why));
            }
        }
    }

    private void end(Trial trial, Optional<String> failure) {
        var uuid = trial.card().uuid();
        trials.remove(uuid);
        signs.tested(uuid);
        log.info("card={} was tested: {}", uuid, failure.orElse("it works"));
        facts.accept(new Fact.CardTested(trial.card(), failure));
    }

    /** A simulated card computes as well as any. */
    private void attempt(Trial trial, int index, int round) {
        if (!hasHardware()) {
            trial.tried(round, Optional.empty());
            judge(clock.getAsLong());
            return;
        }
        if (isClosed) {
            return;
        }
        var uuid = trial.card().uuid();
        var canary = new CanaryRun(settings.test(), cuda, CANARYS_PATIENCE);
        canaries.put(uuid, canary);
        Thread.ofPlatform()
                .name("card-test")
                .daemon()
                .start(() -> tried(trial, round, canary.run(uuid, index)));
    }

    private void tried(Trial trial, int round, Optional<String> failure) {
        lock.lock();
        try {
            canaries.remove(trial.card().uuid());
            if (!isClosed) {
                trial.tried(round, failure);
                judge(clock.getAsLong());
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
            trials.clear();
            canaries.values().forEach(CanaryRun::close);
            kernelLog.ifPresent(KernelLog::close);
        } finally {
            lock.unlock();
        }
        looking.shutdownNow();
        health.close();
    }
}
