package dev.berth.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.port.Event;
import dev.berth.port.StoreFailure;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class EventFeedTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final FakeEvents events = new FakeEvents();
    private final ManualFeedClock clock = new ManualFeedClock();
    private final List<Duration> passes = new ArrayList<>();
    private final List<Boolean> wakeUps = new ArrayList<>();

    private EventFeed feed(Duration batch, Duration afterFailure, boolean hasLastPass) {
        var failures =
                new FailureLog(LoggerFactory.getLogger(EventFeedTest.class), "failing", "works");
        return new EventFeed(
                new EventFeed.Source(events, events::last),
                new EventFeed.Settings(batch, afterFailure, hasLastPass, failures),
                clock);
    }

    private EventFeed feed() {
        return feed(Duration.ZERO, SECOND, false);
    }

    private EventFeed.Rest note(boolean wasWoken, EventFeed.Rest rest) {
        passes.add(clock.now());
        wakeUps.add(wasWoken);
        return rest;
    }

    private static List<Long> seqs(List<Event> page) {
        return page.stream().map(Event::seq).toList();
    }

    @Test
    void readsEveryEventOnceInPages() throws Exception {
        events.commitUpTo(1200);
        var feed = feed();
        feed.moveTo(100);
        var sizes = new ArrayList<Integer>();
        var seen = new ArrayList<Long>();

        feed.read(
                page -> {
                    sizes.add(page.size());
                    seen.addAll(seqs(page));
                });
        feed.read(page -> seen.addAll(seqs(page)));

        assertThat(sizes).containsExactly(500, 500, 100);
        assertThat(seen).hasSize(1100).startsWith(101L).endsWith(1200L).doesNotHaveDuplicates();
        assertThat(feed.position()).isEqualTo(1200);
    }

    @Test
    void doesNotReadBeyondTheLimit() throws Exception {
        events.commitUpTo(10);
        var feed = feed();
        var seen = new ArrayList<Long>();

        feed.readUpTo(7, page -> seen.addAll(seqs(page)));

        assertThat(seen).endsWith(7L).hasSize(7);
        assertThat(feed.position()).isEqualTo(7);
    }

    @Test
    void staysBeforeAPageThatFailed() throws Exception {
        events.commitUpTo(600);
        var feed = feed();

        assertThatThrownBy(
                        () ->
                                feed.read(
                                        page -> {
                                            if (page.getFirst().seq() > 500) {
                                                throw new StoreFailure(
                                                        StoreFailure.Kind.UNAVAILABLE, "later");
                                            }
                                        }))
                .isInstanceOf(StoreFailure.class);

        assertThat(feed.position()).isEqualTo(500);
    }

    @Test
    void peekingLeavesThePosition() throws Exception {
        events.commitUpTo(1200);
        var feed = feed();
        var pages = new ArrayList<Integer>();

        feed.peek(
                page -> {
                    pages.add(page.size());
                    return pages.size() < 2;
                });

        assertThat(pages).containsExactly(500, 500);
        assertThat(feed.position()).isZero();
    }

    @Test
    void rewindsToAPageThatBeginsBeforeTheTime() throws Exception {
        events.commitUpTo(3000);
        var feed = feed();
        feed.moveTo(3000);

        feed.rewindBefore(FakeEvents.START.plusSeconds(2100), 100);
        assertThat(feed.position()).isEqualTo(2000);

        feed.rewindBefore(FakeEvents.START, 2);
        assertThat(feed.position()).isEqualTo(1000);

        feed.rewindBefore(FakeEvents.START, 100);
        assertThat(feed.position()).isZero();
    }

    @Test
    void aWakeUpEndsTheIdleTime() {
        var feed = feed();
        clock.at(Duration.ofSeconds(3), feed::wake);
        clock.at(Duration.ofSeconds(5), feed::stop);

        feed.run(wasWoken -> note(wasWoken, EventFeed.Rest.idle(HOUR)));

        assertThat(passes).containsExactly(Duration.ZERO, Duration.ofSeconds(3));
        assertThat(wakeUps).containsExactly(false, true);
    }

    @Test
    void aWakeUpDuringAPassIsNotLost() {
        var feed = feed();
        clock.at(Duration.ofSeconds(3), feed::stop);

        feed.run(
                wasWoken -> {
                    if (passes.isEmpty()) {
                        feed.wake();
                    }
                    return note(wasWoken, EventFeed.Rest.idle(HOUR));
                });

        assertThat(passes).containsExactly(Duration.ZERO, Duration.ZERO);
        assertThat(wakeUps).containsExactly(false, true);
    }

    @Test
    void aWakeUpDoesNotShortenThePause() {
        var feed = feed();
        clock.at(Duration.ofSeconds(1), feed::wake);
        clock.at(Duration.ofSeconds(15), feed::stop);

        feed.run(wasWoken -> note(wasWoken, new EventFeed.Rest(Duration.ofSeconds(10), HOUR)));

        assertThat(passes).containsExactly(Duration.ZERO, Duration.ofSeconds(10));
    }

    @Test
    void collectsWakeUpsOfOneBatch() {
        var feed = feed(Duration.ofMillis(10), SECOND, false);
        clock.at(Duration.ofMillis(100), feed::wake);
        clock.at(Duration.ofMillis(105), feed::wake);
        clock.at(Duration.ofSeconds(1), feed::stop);

        feed.run(wasWoken -> note(wasWoken, EventFeed.Rest.idle(HOUR)));

        assertThat(passes).containsExactly(Duration.ZERO, Duration.ofMillis(110));
    }

    @Test
    void triesAgainAfterAFailureAndStillReportsTheWakeUp() {
        events.commitUpTo(1);
        events.setFailing(true);
        var feed = feed();
        feed.wake();
        clock.at(Duration.ofMillis(1500), () -> events.setFailing(false));
        clock.at(Duration.ofSeconds(5), feed::stop);

        feed.run(
                wasWoken -> {
                    var rest = note(wasWoken, EventFeed.Rest.idle(HOUR));
                    feed.read(_ -> {});
                    return rest;
                });

        assertThat(passes).containsExactly(Duration.ZERO, SECOND, Duration.ofSeconds(2));
        assertThat(wakeUps).containsExactly(true, true, true);
        assertThat(feed.position()).isEqualTo(1);
    }

    @Test
    void handlesTheLastEventsWhenItIsClosed() {
        var feed = feed(Duration.ZERO, SECOND, true);
        clock.at(
                SECOND,
                () -> {
                    events.commitUpTo(3);
                    feed.stop();
                });

        feed.run(
                wasWoken -> {
                    feed.read(_ -> {});
                    return note(wasWoken, EventFeed.Rest.idle(HOUR));
                });

        assertThat(passes).containsExactly(Duration.ZERO, SECOND);
        assertThat(feed.position()).isEqualTo(3);
    }

    @Test
    void closingEndsAPauseWithinAPass() {
        var feed = feed();
        clock.at(SECOND, feed::stop);

        feed.run(
                wasWoken -> {
                    var rest = note(wasWoken, EventFeed.Rest.idle(HOUR));
                    feed.pause(HOUR);
                    return rest;
                });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(passes).containsExactly(Duration.ZERO);
        assertThat(clock.now()).isEqualTo(SECOND);
    }

    @Test
    void runsOnItsThreadUntilItIsClosed() throws Exception {
        var failures =
                new FailureLog(LoggerFactory.getLogger(EventFeedTest.class), "failing", "works");
        var feed =
                new EventFeed(
                        new EventFeed.Source(events, events::last),
                        new EventFeed.Settings(Duration.ZERO, SECOND, false, failures));
        var woken = new CountDownLatch(1);
        feed.start(
                Thread.ofVirtual().factory(),
                wasWoken -> {
                    if (wasWoken) {
                        woken.countDown();
                    }
                    return EventFeed.Rest.idle(HOUR);
                });

        feed.wake();
        assertThat(woken.await(3, TimeUnit.MINUTES)).isTrue();
        feed.close();

        assertThat(feed.join(Duration.ZERO)).isTrue();
        assertThat(feed.isClosed()).isTrue();
    }

    @Test
    void interruptsAPassThatBlocks() throws Exception {
        var failures =
                new FailureLog(LoggerFactory.getLogger(EventFeedTest.class), "failing", "works");
        var feed =
                new EventFeed(
                        new EventFeed.Source(events, events::last),
                        new EventFeed.Settings(Duration.ZERO, SECOND, false, failures));
        var isBlocked = new CountDownLatch(1);
        feed.start(
                Thread.ofVirtual().factory(),
                _ -> {
                    isBlocked.countDown();
                    new CountDownLatch(1).await();
                    return EventFeed.Rest.idle(HOUR);
                });
        assertThat(isBlocked.await(3, TimeUnit.MINUTES)).isTrue();

        feed.interrupt();

        assertThat(feed.join(Duration.ofSeconds(10))).isTrue();
    }
}
