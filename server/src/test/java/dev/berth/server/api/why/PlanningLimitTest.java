package dev.berth.server.api.why;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.http.RejectedException;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class PlanningLimitTest {

    @Test
    void aRequestThatWaitsTooLongIsAskedToComeAgain() throws Exception {
        var limit = new PlanningLimit(1, Duration.ZERO);
        try (var _ = limit.begin()) {
            var rejected = catchThrowableOfType(RejectedException.class, limit::begin);
            assertThat(rejected.response().status()).isEqualTo(503);
        }
    }

    @Test
    void aTurnThatIsOverLetsTheNextOneBegin() throws Exception {
        var limit = new PlanningLimit(1, Duration.ofSeconds(5));
        for (int i = 0; i < 3; i++) {
            try (var turn = limit.begin()) {
                assertThat(turn).isNotNull();
            }
        }
    }
}
