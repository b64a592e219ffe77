package dev.berth.telemetry.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Map;

class UserGpuTimeTest {

    private static final Instant NOON = Instant.parse("2025-11-15T12:00:00Z");

    private final UserGpuTime time = new UserGpuTime();

    @Test
    void runningAttemptsCountUpToNowAndEndedOnesUpToTheirEnd() {
        time.begin(attempt(1), Owner.unix("ann"), 2, NOON);
        time.begin(attempt(2), Owner.unix("bob"), 1, NOON);
        time.end(attempt(2), NOON.plusSeconds(5));
        assertThat(time.secondsByUser(NOON.plusSeconds(10)))
                .isEqualTo(Map.of("ann", 20.0, "bob", 5.0));
    }

    @Test
    void neverDecreasesIfAnEndIsBeforeTheLastScrape() {
        time.begin(attempt(1), Owner.unix("ann"), 1, NOON);
        assertThat(time.secondsByUser(NOON.plusSeconds(10))).isEqualTo(Map.of("ann", 10.0));
        time.end(attempt(1), NOON.plusSeconds(9));
        assertThat(time.secondsByUser(NOON.plusSeconds(11))).isEqualTo(Map.of("ann", 10.0));
    }

    @Test
    void aRepeatedEndCountsOnce() {
        time.begin(attempt(1), Owner.unix("ann"), 1, NOON);
        time.end(attempt(1), NOON.plusSeconds(4));
        time.end(attempt(1), NOON.plusSeconds(8));
        assertThat(time.secondsByUser(NOON.plusSeconds(9))).isEqualTo(Map.of("ann", 4.0));
    }

    @Test
    void usersBeyondTheLimitAreCountedTogether() {
        for (int i = 1; i <= UserGpuTime.MAX_USERS + 2; i++) {
            time.begin(attempt(i), Owner.unix("user" + i), 1, NOON);
        }
        assertThat(time.secondsByUser(NOON.plusSeconds(3)))
                .hasSize(UserGpuTime.MAX_USERS + 1)
                .containsEntry("user1", 3.0)
                .containsEntry(UserGpuTime.OTHERS, 6.0);
    }

    private static AttemptId attempt(int task) {
        return new AttemptId(new TaskId(task), 1);
    }
}
