package dev.berth.files;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

class LineSamplerTest {

    private final AtomicLong nanos = new AtomicLong();
    private final LineSampler sampler = new LineSampler(nanos::get);

    @Test
    void writesTheFirstLinesOfAMinuteAndCountsTheOthers() {
        assertThat(written("refused", 100_000, 3)).isEqualTo(3);
        assertThat(sampler.takeFinished()).isEmpty();

        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        assertThat(sampler.takeFinished())
                .containsExactly(new LineSampler.LeftOut("refused", 99_997));
        assertThat(sampler.takeFinished()).isEmpty();
        assertThat(written("refused", 10, 3)).isEqualTo(3);
        assertThat(sampler.takeAll()).containsExactly(new LineSampler.LeftOut("refused", 7));
    }

    @Test
    void oneKindDoesNotHideAnother() {
        written("refused", 1000, 1);
        assertThat(written("failed", 5, 10)).isEqualTo(5);
    }

    @Test
    void aCountThatNobodyTookIsNotLost() {
        written("refused", 5, 1);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(3));
        written("refused", 2, 1);
        assertThat(sampler.takeFinished()).containsExactly(new LineSampler.LeftOut("refused", 6));
    }

    @Test
    void manyKindsShareOneLimit() {
        int lines = 0;
        for (int kind = 0; kind < 100_000; kind++) {
            lines += written("kind " + kind, 1, 1);
        }
        assertThat(lines).isEqualTo(LineSampler.MAX_KINDS + 1);
    }

    private int written(String kind, int lines, int perMinute) {
        int written = 0;
        for (int line = 0; line < lines; line++) {
            written += sampler.admits(kind, perMinute) ? 1 : 0;
        }
        return written;
    }
}
