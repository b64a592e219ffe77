package dev.berth.server.stream;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.lane.LaneRun;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.TaskId;
import dev.berth.engine.Engine;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.Node;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;
import dev.berth.engine.port.UserUsage;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

class BroadcastTest {

    private final MemoryStore store = new MemoryStore();
    private final AtomicInteger reads = new AtomicInteger();
    private volatile boolean isUnreadable;
    private volatile String cards = "first";
    private EngineLoop engine;
    private Broadcast broadcast;

    @BeforeEach
    void open() {
        engine = EngineLoop.start(InstantSource.system(), _ -> recover());
        broadcast =
                new Broadcast(
                        engine,
                        new Failing(),
                        new Broadcast.Sources(
                                events -> {
                                    var messages = new TreeMap<Long, byte[]>();
                                    events.forEach(one -> messages.put(one.seq(), new byte[1]));
                                    return messages;
                                },
                                () -> cards,
                                () -> "queue"));
    }

    private Engine recover() {
        try {
            var parts =
                    new Engine.Parts(store, new Idle(), new Planner(Rules.USUAL), Failpoints.NONE);
            return Engine.recover(parts, 0, Instant.now());
        } catch (StoreFailure e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        broadcast.close();
        engine.close();
    }

    /** What this listener is shown until it sees the word. */
    private static List<String> shownUntil(Broadcast.Seat seat, String word) {
        var shown = new ArrayList<String>();
        eventually(
                "it is shown " + word,
                () -> {
                    seat.pictures().stream()
                            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                            .filter(text -> !text.isEmpty())
                            .forEach(shown::add);
                    return shown.toString().contains(word);
                });
        return shown;
    }

    private void happen(boolean isLow) {
        engine.observe(new Fact.DiskSpace("here", isLow, 5));
    }

    @Test
    void theFirstListenerAfterATimeIsShownNothingOld() {
        try (var seat = broadcast.join()) {
            assertThat(shownUntil(seat, "first").toString()).contains("first");
        }
        cards = "second";
        try (var seat = broadcast.join()) {
            assertThat(shownUntil(seat, "second").toString()).doesNotContain("first");
        }
        // Also if nothing has changed meanwhile.
        try (var seat = broadcast.join()) {
            assertThat(shownUntil(seat, "second")).isNotEmpty();
        }
    }

    @Test
    void cardsAreShownAlsoWhileEventsCannotBeRead() throws Exception {
        try (var seat = broadcast.join()) {
            shownUntil(seat, "first");
            isUnreadable = true;
            long seen = broadcast.seq();
            happen(true);
            eventually("events are asked for", () -> reads.get() > 0);
            cards = "second";
            happen(false);
            // Woken, not merely asked again and again.
            long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            var shown = new ArrayList<String>();
            while (!shown.toString().contains("second") && System.nanoTime() < end) {
                seat.await(seen, Duration.ofSeconds(20).toNanos());
                seat.pictures().forEach(one -> shown.add(new String(one, StandardCharsets.UTF_8)));
            }
            assertThat(shown.toString()).contains("second");
            assertThat(Duration.ofNanos(end - System.nanoTime())).isPositive();
            isUnreadable = false;
            eventually(
                    "events are told again",
                    () ->
                            broadcast.after(seen, 100) instanceof Kept.Next.Messages(var list, _)
                                    && list.size() == 2);
        }
    }

    @Test
    void aFailureIsNotTriedAgainAtOnceHoweverMuchHappens() {
        try (var seat = broadcast.join()) {
            shownUntil(seat, "first");
            isUnreadable = true;
            var isLow = new boolean[] {false};
            long begin = System.nanoTime();
            long end = begin + Duration.ofMillis(1500).toNanos();
            eventually(
                    "some time has passed",
                    () -> {
                        isLow[0] = !isLow[0];
                        happen(isLow[0]);
                        return System.nanoTime() > end;
                    });
            int tried = reads.get();
            long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
            assertThat((long) tried).as("in %d s", seconds).isBetween(1L, 2 + seconds);
        }
    }

    private final class Failing implements TaskQueries {

        @Override
        public Optional<TaskRecord> find(TaskId id) {
            return store.find(id);
        }

        @Override
        public List<TaskRecord> list(Filter filter, Page page) {
            return store.list(filter, page);
        }

        @Override
        public long count(Filter filter) {
            return store.count(filter);
        }

        @Override
        public List<Attempt> attempts(TaskId id) {
            return store.attempts(id);
        }

        @Override
        public List<LaneRun> runs(int limit) {
            return store.runs(limit);
        }

        @Override
        public List<UserUsage> usage(Instant from, Instant to) {
            return store.usage(from, to);
        }

        @Override
        public List<Event> eventsAfter(long seq, int limit) throws StoreFailure {
            if (isUnreadable) {
                reads.incrementAndGet();
                throw new StoreFailure(
                        StoreFailure.Kind.UNAVAILABLE, "told to fail", new Exception());
            }
            return store.eventsAfter(seq, limit);
        }

        @Override
        public List<Event> alerts(OptionalLong before, int limit) {
            return store.alerts(before, limit);
        }
    }

    private static final class Idle implements Node {

        @Override
        public String name() {
            return "here";
        }

        @Override
        public String bootId() {
            return "boot";
        }

        @Override
        public void launch(Launch order) {}

        @Override
        public void adopt(Attempt attempt, Optional<Duration> timeLimit) {}

        @Override
        public void stop(AttemptId attempt) {}
    }
}
