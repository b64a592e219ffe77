package dev.berth.server.stream;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.Role;
import dev.berth.core.access.Via;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Script;
import dev.berth.engine.EngineLoop;
import dev.berth.http.Caller;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.AuditFilter;
import dev.berth.port.read.GpuRun;
import dev.berth.port.read.TaskOrder;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.UserUsage;
import dev.berth.testengine.TestEngine;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

class EventBroadcastTest {

    private static final Caller ADMIN =
            new Caller(Owner.unix("ann"), 1000, Role.ADMIN, Via.SOCKET, Optional.empty());

    private final MemoryStore store = new MemoryStore();
    private final AtomicInteger reads = new AtomicInteger();
    private volatile boolean isUnreadable;
    private volatile String cards = "first";
    private EngineLoop engine;
    private EventBroadcast broadcast;

    @BeforeEach
    void open() {
        engine = new TestEngine(store, TestEngine.Options.DEFAULT.withGpus(0)).loop;
        broadcast =
                EventBroadcast.start(
                        engine,
                        new Failing(),
                        new EventBroadcast.LiveSources(
                                events -> {
                                    var messages = new TreeMap<Long, EventMessage>();
                                    events.forEach(
                                            one ->
                                                    messages.put(
                                                            one.seq(),
                                                            EventMessage.ofEveryone(new byte[1])));
                                    return messages;
                                },
                                () -> cards,
                                () -> "queue"));
    }

    @AfterEach
    void close() {
        broadcast.close();
        engine.close();
    }

    /** Everything this subscriber receives until the text appears. */
    private static List<String> receivedUntil(
            EventBroadcast.Subscription subscription, String word) {
        var shown = new ArrayList<String>();
        eventually(
                "it is shown " + word,
                () -> {
                    subscription.newViews().stream()
                            .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                            .filter(text -> !text.isEmpty())
                            .forEach(shown::add);
                    return shown.toString().contains(word);
                });
        return shown;
    }

    private void publishEvent(boolean isLow) {
        engine.observe(new Fact.DiskSpaceRead("here", isLow, 5));
    }

    @Test
    void firstSubscriberAfterAPauseSeesNothingOld() {
        try (var subscription = broadcast.subscribe()) {
            assertThat(receivedUntil(subscription, "first").toString()).contains("first");
        }
        cards = "second";
        try (var subscription = broadcast.subscribe()) {
            assertThat(receivedUntil(subscription, "second").toString()).doesNotContain("first");
        }
        // Also if nothing has changed meanwhile.
        try (var subscription = broadcast.subscribe()) {
            assertThat(receivedUntil(subscription, "second")).isNotEmpty();
        }
    }

    @Test
    void manyStreamsAreWokenLessOften() {
        assertThat(EventBroadcast.pause(1)).isLessThan(Duration.ofMillis(1));
        assertThat(EventBroadcast.pause(100)).isEqualTo(Duration.ofMillis(40));
        assertThat(EventBroadcast.pause(10_000)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void gpusAreSentWhileEventsCannotBeRead() throws Exception {
        try (var subscription = broadcast.subscribe()) {
            receivedUntil(subscription, "first");
            isUnreadable = true;
            long seen = broadcast.lastCommitted();
            publishEvent(true);
            eventually("events are asked for", () -> reads.get() > 0);
            cards = "second";
            publishEvent(false);
            // Woken, not polled.
            long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
            var shown = new ArrayList<String>();
            while (!shown.toString().contains("second") && System.nanoTime() < end) {
                subscription.await(seen, Duration.ofMinutes(2).toNanos());
                subscription
                        .newViews()
                        .forEach(one -> shown.add(new String(one, StandardCharsets.UTF_8)));
            }
            assertThat(shown.toString()).contains("second");
            isUnreadable = false;
            eventually(
                    "events are sent again",
                    () ->
                            broadcast.after(seen, 100, ADMIN)
                                            instanceof MessageBuffer.Batch.Messages(var list, _)
                                    && list.size() == 2);
        }
    }

    @Test
    void failureIsRetriedAfterAPause() {
        try (var subscription = broadcast.subscribe()) {
            receivedUntil(subscription, "first");
            isUnreadable = true;
            var isLow = new boolean[] {false};
            long begin = System.nanoTime();
            long end = begin + Duration.ofMillis(1500).toNanos();
            eventually(
                    "some time has passed",
                    () -> {
                        isLow[0] = !isLow[0];
                        publishEvent(isLow[0]);
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
        public SortedMap<TaskId, Script.Text> scripts(TaskId first, TaskId end) {
            return store.scripts(first, end);
        }

        @Override
        public long epoch() {
            return store.epoch();
        }

        @Override
        public List<TaskId> ids(Filter filter, Page page) {
            return store.ids(filter, page);
        }

        @Override
        public List<TaskRecord> list(Filter filter, List<TaskId> ids) {
            return store.list(filter, ids);
        }

        @Override
        public long countFollowing(Filter filter, TaskOrder order, TaskId last) {
            return store.countFollowing(filter, order, last);
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
        public Optional<String> result(TaskId id) throws StoreFailure {
            return store.result(id);
        }

        @Override
        public List<FileRun> fileRuns(int limit) {
            return store.fileRuns(limit);
        }

        @Override
        public Optional<Event> removal(TaskId id) {
            return store.removal(id);
        }

        @Override
        public List<GpuRun> gpuRuns(Instant from, Instant to, int limit) {
            return store.gpuRuns(from, to, limit);
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
        public List<Event> audit(AuditFilter filter, OptionalLong before, int limit) {
            return store.audit(filter, before, limit);
        }

        @Override
        public List<Event> alerts(OptionalLong before, int limit) {
            return store.alerts(before, limit);
        }
    }
}
