package dev.berth.runs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

class WritePaceTest {

    private static final long BEGIN = Long.MAX_VALUE - 5;

    @Test
    void theFirstWriteIsDue() {
        assertThat(new WritePace(BEGIN).isDue(BEGIN)).isTrue();
    }

    @ParameterizedTest(name = "after {0} ms of writing the next one waits {1} ms")
    @CsvSource({"0, 50", "2, 50", "40, 400", "500, 1000"})
    void aWriteThatTakesLongerIsRepeatedLessOften(long tookMillis, long restMillis) {
        var pace = new WritePace(BEGIN);
        long end = BEGIN + Duration.ofMillis(tookMillis).toNanos();
        pace.written(BEGIN, end);
        long due = end + Duration.ofMillis(restMillis).toNanos();
        assertThat(pace.isDue(due - 1)).isFalse();
        assertThat(pace.isDue(due)).isTrue();
        assertThat(pace.left(end)).isEqualTo(Duration.ofMillis(restMillis));
    }
}
