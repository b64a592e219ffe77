package dev.berth.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskId;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Map;

class CardTimeTest {

    private static final Instant NOON = Instant.parse("2025-11-15T12:00:00Z");

    private final CardTime time = new CardTime();

    @Test
    void whatRunsCountsUpToNowAndWhatEndedUpToItsEnd() {
        time.begin(attempt(1), Owner.unix("ann"), 2, NOON);
        time.begin(attempt(2), Owner.unix("bob"), 1, NOON);
        time.end(attempt(2), NOON.plusSeconds(5));
        assertThat(time.by(NOON.plusSeconds(10))).isEqualTo(Map.of("ann", 20.0, "bob", 5.0));
    }

    @Test
    void itNeverFallsThoughAnEndLiesBeforeTheLastLook() {
        time.begin(attempt(1), Owner.unix("ann"), 1, NOON);
        assertThat(time.by(NOON.plusSeconds(10))).isEqualTo(Map.of("ann", 10.0));
        time.end(attempt(1), NOON.plusSeconds(9));
        assertThat(time.by(NOON.plusSeconds(11))).isEqualTo(Map.of("ann", 10.0));
    }

    @Test
    void anEndThatIsToldTwiceCountsOnce() {
        time.begin(attempt(1), Owner.unix("ann"), 1, NOON);
        time.end(attempt(1), NOON.plusSeconds(4));
        time.end(attempt(1), NOON.plusSeconds(8));
        assertThat(time.by(NOON.plusSeconds(9))).isEqualTo(Map.of("ann", 4.0));
    }

    @Test
    void usersBeyondTheLimitAreCountedTogether() {
        for (int i = 1; i <= CardTime.MOST_USERS + 2; i++) {
            time.begin(attempt(i), Owner.unix("user" + i), 1, NOON);
        }
        assertThat(time.by(NOON.plusSeconds(3)))
                .hasSize(CardTime.MOST_USERS + 1)
                .containsEntry("user1", 3.0)
                .containsEntry(CardTime.OTHERS, 6.0);
    }

    private static AttemptId attempt(int task) {
        return new AttemptId(new TaskId(task), 1);
    }
}
