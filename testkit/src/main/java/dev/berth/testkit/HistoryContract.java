package dev.berth.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.port.read.MinuteSamples;
import dev.berth.port.read.SampleHistory;
import dev.berth.port.read.SampleHistory.Measure;
import dev.berth.port.read.SampleHistory.Point;
import dev.berth.port.read.SampleHistory.Resolution;
import dev.berth.port.read.SampleHistory.Span;
import dev.berth.port.read.SampleHistory.Subject;
import dev.berth.port.read.SampleHistory.Total;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The behaviour of every history. Each test has its own. */
public abstract class HistoryContract {

    /** The beginning of an hour. */
    protected static final long NOON = Instant.parse("2031-05-06T12:00:00Z").getEpochSecond();

    protected static final Subject CARD = card(0);
    private static final Subject ATTEMPT = new Subject.OfAttempt(new AttemptId(new TaskId(7), 2));

    /** The history of this test's home, also after a restart. */
    protected abstract SampleHistory history() throws Exception;

    protected static Subject card(int index) {
        return new Subject.OfGpu(new GpuId("host", "GPU-" + index));
    }

    @Test
    void aSubjectWithoutSamplesHasNoPoints() throws Exception {
        for (var grain : Resolution.values()) {
            assertThat(read(CARD, grain, 0, 7200)).isEmpty();
        }
    }

    @Test
    void everySecondIsReadBackWithItsValues() throws Exception {
        var minute = new MinuteSamples(CARD, MinuteSamples.numberAt(NOON));
        minute.put(5, Measure.MEMORY_MIB, 81_000);
        minute.put(5, Measure.PERCENT, 0);
        minute.put(5, Measure.CELSIUS, 61);
        minute.put(7, Measure.PERCENT, 100);
        minute.put(59, Measure.MEMORY_MIB, 3);
        history().save(List.of(minute));

        assertThat(read(CARD, Resolution.SECOND, 0, 60))
                .containsExactly(
                        new Point(NOON + 5, Total.of(81_000), Total.of(0), Total.of(61)),
                        new Point(NOON + 7, Total.NONE, Total.of(100), Total.NONE),
                        new Point(NOON + 59, Total.of(3), Total.NONE, Total.NONE));
        assertThat(read(CARD, Resolution.SECOND, 6, 59))
                .extracting(Point::at)
                .containsExactly(NOON + 7);
    }

    @Test
    void minutesAndHoursAreExactSums() throws Exception {
        // An hour and a half; every 7th second has no memory value.
        var minutes = IntStream.range(0, 90).mapToObj(HistoryContract::busyMinute).toList();
        for (var minute : minutes) {
            history().save(List.of(minute));
        }

        var expected = minutes.stream().map(MinuteSamples::total).toList();
        assertThat(read(CARD, Resolution.MINUTE, 0, 5400)).containsExactlyElementsOf(expected);
        var first = expected.subList(0, 60).stream().reduce(Point::plus).orElseThrow();
        var second = expected.subList(60, 90).stream().reduce(Point::plus).orElseThrow();
        assertThat(read(CARD, Resolution.HOUR, 0, 5400)).containsExactly(first, second);
        assertThat(first.percent().count()).isEqualTo(3600);
        assertThat(first.memoryMib().count()).isLessThan(3600);
        assertThat(first.memoryMib().peak()).isEqualTo(59_059);
    }

    @Test
    void aMinuteWrittenInPartsOrTwiceCountsOnce() throws Exception {
        var whole = busyMinute(3);
        history().save(List.of(part(whole, 0, 20)));
        history().save(List.of(part(whole, 20, 60)));
        history().save(List.of(whole));

        assertThat(read(CARD, Resolution.MINUTE, 0, 3600)).containsExactly(whole.total());
        assertThat(read(CARD, Resolution.HOUR, 0, 3600)).containsExactly(whole.total().at(NOON));
        assertThat(read(CARD, Resolution.SECOND, 180, 240)).hasSize(60);
    }

    @Test
    void afterTheClockWasSetBackTheLaterSampleCounts() throws Exception {
        for (int minute = 0; minute < 70; minute++) {
            history().save(List.of(busyMinute(minute)));
        }
        var again = new MinuteSamples(CARD, MinuteSamples.numberAt(NOON) + 30);
        again.put(0, Measure.PERCENT, 77);
        history().save(List.of(again));

        var minute = read(CARD, Resolution.MINUTE, 1800, 1860).getFirst();
        var expected = busyMinute(30).with(again).total();
        assertThat(minute).isEqualTo(expected);
        var hour =
                IntStream.range(0, 60)
                        .mapToObj(i -> i == 30 ? expected : busyMinute(i).total())
                        .reduce(Point::plus)
                        .orElseThrow();
        assertThat(read(CARD, Resolution.HOUR, 0, 3600)).containsExactly(hour);
    }

    @Test
    void samplesThatAreNotStoredYetCountToo() throws Exception {
        var whole = busyMinute(0);
        history().save(List.of(part(whole, 0, 30)));
        var fresh = List.of(part(whole, 25, 60), busyMinute(1));

        var span = new Span(CARD, Resolution.HOUR, Instant.ofEpochSecond(NOON), at(3600));
        var expected = whole.total().plus(busyMinute(1).total());
        assertThat(history().read(span, fresh)).containsExactly(expected);
        assertThat(history().read(new Span(CARD, Resolution.SECOND, at(0), at(3600)), fresh))
                .hasSize(120);
        assertThat(read(CARD, Resolution.SECOND, 0, 3600)).hasSize(30);
    }

    @Test
    void gapsStayGapsAndSubjectsAreSeparate() throws Exception {
        var minutes = new ArrayList<MinuteSamples>();
        for (var subject : List.of(CARD, card(1), ATTEMPT)) {
            for (int minute : List.of(0, 5)) {
                var one = new MinuteSamples(subject, MinuteSamples.numberAt(NOON) + minute);
                one.put(10, Measure.PERCENT, subject.equals(ATTEMPT) ? 90 : 10);
                minutes.add(one);
            }
        }
        history().save(minutes);

        assertThat(read(CARD, Resolution.MINUTE, 0, 3600))
                .extracting(Point::at)
                .containsExactly(NOON, NOON + 300);
        assertThat(read(ATTEMPT, Resolution.HOUR, 0, 3600).getFirst().percent())
                .isEqualTo(new Total(2, 180, 90));
        assertThat(read(card(2), Resolution.HOUR, 0, 3600)).isEmpty();
    }

    /** A minute with a sample for each second and rising memory. */
    protected static MinuteSamples busyMinute(int number) {
        return busyMinute(CARD, number);
    }

    protected static MinuteSamples busyMinute(Subject subject, int number) {
        var minute = new MinuteSamples(subject, MinuteSamples.numberAt(NOON) + number);
        for (int second = 0; second < MinuteSamples.SECONDS; second++) {
            if ((number * 60 + second) % 7 != 0) {
                minute.put(second, Measure.MEMORY_MIB, 1000L * number + second);
            }
            minute.put(second, Measure.PERCENT, (number * 13 + second * 31) % 101);
            minute.put(second, Measure.CELSIUS, 40 + number % 20);
        }
        return minute;
    }

    /** A part of the minute. */
    private static MinuteSamples part(MinuteSamples whole, int from, int to) {
        var part = new MinuteSamples(whole.subject(), whole.number());
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
    protected List<Point> read(Subject subject, Resolution grain, long from, long to)
            throws Exception {
        return history().read(new Span(subject, grain, at(from), at(to)), List.of());
    }

    private static Instant at(long seconds) {
        return Instant.ofEpochSecond(NOON + seconds);
    }
}
