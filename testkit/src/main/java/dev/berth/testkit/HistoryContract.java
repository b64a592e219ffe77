package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardId;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.TaskId;
import dev.berth.engine.port.History;
import dev.berth.engine.port.History.Grain;
import dev.berth.engine.port.History.Measure;
import dev.berth.engine.port.History.Point;
import dev.berth.engine.port.History.Span;
import dev.berth.engine.port.History.Subject;
import dev.berth.engine.port.History.Total;
import dev.berth.engine.port.Minute;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What every history keeps. Each test has one of its own. */
public abstract class HistoryContract {

    /** A full hour. */
    protected static final long NOON = Instant.parse("2031-05-06T12:00:00Z").getEpochSecond();

    protected static final Subject CARD = card(0);
    private static final Subject ATTEMPT = new Subject.OfAttempt(new AttemptId(new TaskId(7), 2));

    /** What a server on this test's home would use, now and after a restart alike. */
    protected abstract History history() throws Exception;

    protected static Subject card(int index) {
        return new Subject.OfCard(new CardId("host", "GPU-" + index));
    }

    @Test
    void whatWasNeverMeasuredHasNoPoints() throws Exception {
        for (var grain : Grain.values()) {
            assertThat(read(CARD, grain, 0, 7200)).isEmpty();
        }
    }

    @Test
    void everySecondComesBackWithWhatWasKnownOfIt() throws Exception {
        var minute = new Minute(CARD, Minute.numberAt(NOON));
        minute.put(5, Measure.MEMORY_MIB, 81_000);
        minute.put(5, Measure.PERCENT, 0);
        minute.put(5, Measure.CELSIUS, 61);
        minute.put(7, Measure.PERCENT, 100);
        minute.put(59, Measure.MEMORY_MIB, 3);
        history().keep(List.of(minute));

        assertThat(read(CARD, Grain.SECOND, 0, 60))
                .containsExactly(
                        new Point(NOON + 5, Total.of(81_000), Total.of(0), Total.of(61)),
                        new Point(NOON + 7, Total.NONE, Total.of(100), Total.NONE),
                        new Point(NOON + 59, Total.of(3), Total.NONE, Total.NONE));
        assertThat(read(CARD, Grain.SECOND, 6, 59)).extracting(Point::at).containsExactly(NOON + 7);
    }

    @Test
    void minutesAreTheSumOfTheirSecondsAndHoursOfTheirMinutesToTheLastSample() throws Exception {
        // An hour and a half, at every 7th second of which nothing was said of the memory.
        var minutes = IntStream.range(0, 90).mapToObj(HistoryContract::busyMinute).toList();
        for (var minute : minutes) {
            history().keep(List.of(minute));
        }

        var expected = minutes.stream().map(Minute::whole).toList();
        assertThat(read(CARD, Grain.MINUTE, 0, 5400)).containsExactlyElementsOf(expected);
        var first = expected.subList(0, 60).stream().reduce(Point::plus).orElseThrow();
        var second = expected.subList(60, 90).stream().reduce(Point::plus).orElseThrow();
        assertThat(read(CARD, Grain.HOUR, 0, 5400)).containsExactly(first, second);
        assertThat(first.percent().count()).isEqualTo(3600);
        assertThat(first.memoryMib().count()).isLessThan(3600);
        assertThat(first.memoryMib().peak()).isEqualTo(59_059);
    }

    @Test
    void aMinuteThatComesInPartsOrTwiceCountsOnce() throws Exception {
        var whole = busyMinute(3);
        history().keep(List.of(part(whole, 0, 20)));
        history().keep(List.of(part(whole, 20, 60)));
        history().keep(List.of(whole));

        assertThat(read(CARD, Grain.MINUTE, 0, 3600)).containsExactly(whole.whole());
        assertThat(read(CARD, Grain.HOUR, 0, 3600)).containsExactly(whole.whole().at(NOON));
        assertThat(read(CARD, Grain.SECOND, 180, 240)).hasSize(60);
    }

    @Test
    void afterTheClockWasSetBackTheLaterWordHolds() throws Exception {
        for (int minute = 0; minute < 70; minute++) {
            history().keep(List.of(busyMinute(minute)));
        }
        var again = new Minute(CARD, Minute.numberAt(NOON) + 30);
        again.put(0, Measure.PERCENT, 77);
        history().keep(List.of(again));

        var minute = read(CARD, Grain.MINUTE, 1800, 1860).getFirst();
        var expected = busyMinute(30).with(again).whole();
        assertThat(minute).isEqualTo(expected);
        var hour =
                IntStream.range(0, 60)
                        .mapToObj(i -> i == 30 ? expected : busyMinute(i).whole())
                        .reduce(Point::plus)
                        .orElseThrow();
        assertThat(read(CARD, Grain.HOUR, 0, 3600)).containsExactly(hour);
    }

    @Test
    void whatIsNotKeptYetCountsAsIfItWere() throws Exception {
        var whole = busyMinute(0);
        history().keep(List.of(part(whole, 0, 30)));
        var fresh = List.of(part(whole, 25, 60), busyMinute(1));

        var span = new Span(CARD, Grain.HOUR, Instant.ofEpochSecond(NOON), at(3600));
        var expected = whole.whole().plus(busyMinute(1).whole());
        assertThat(history().read(span, fresh)).containsExactly(expected);
        assertThat(history().read(new Span(CARD, Grain.SECOND, at(0), at(3600)), fresh))
                .hasSize(120);
        assertThat(read(CARD, Grain.SECOND, 0, 3600)).hasSize(30);
    }

    @Test
    void gapsStayGapsAndEverySubjectHasItsOwn() throws Exception {
        var minutes = new ArrayList<Minute>();
        for (var subject : List.of(CARD, card(1), ATTEMPT)) {
            for (int minute : List.of(0, 5)) {
                var one = new Minute(subject, Minute.numberAt(NOON) + minute);
                one.put(10, Measure.PERCENT, subject.equals(ATTEMPT) ? 90 : 10);
                minutes.add(one);
            }
        }
        history().keep(minutes);

        assertThat(read(CARD, Grain.MINUTE, 0, 3600))
                .extracting(Point::at)
                .containsExactly(NOON, NOON + 300);
        assertThat(read(ATTEMPT, Grain.HOUR, 0, 3600).getFirst().percent())
                .isEqualTo(new Total(2, 180, 90));
        assertThat(read(card(2), Grain.HOUR, 0, 3600)).isEmpty();
    }

    /** One with a place for each second and a memory that rises. */
    protected static Minute busyMinute(int number) {
        return busyMinute(CARD, number);
    }

    protected static Minute busyMinute(Subject subject, int number) {
        var minute = new Minute(subject, Minute.numberAt(NOON) + number);
        for (int second = 0; second < Minute.SECONDS; second++) {
            if ((number * 60 + second) % 7 != 0) {
                minute.put(second, Measure.MEMORY_MIB, 1000L * number + second);
            }
            minute.put(second, Measure.PERCENT, (number * 13 + second * 31) % 101);
            minute.put(second, Measure.CELSIUS, 40 + number % 20);
        }
        return minute;
    }

    /** Only some of its seconds. */
    private static Minute part(Minute whole, int from, int to) {
        var part = new Minute(whole.subject(), whole.number());
        for (int second = from; second < to; second++) {
            for (var measure : Measure.values()) {
                int at = second;
                whole.get(second, measure).ifPresent(value -> part.put(at, measure, value));
            }
        }
        return part;
    }

    /**
     * @param from in seconds after noon
     */
    protected List<Point> read(Subject subject, Grain grain, long from, long to) throws Exception {
        return history().read(new Span(subject, grain, at(from), at(to)), List.of());
    }

    private static Instant at(long seconds) {
        return Instant.ofEpochSecond(NOON + seconds);
    }
}
