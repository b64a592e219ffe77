package dev.berth.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.http.RejectedException;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

class SearchLimitTest {

    @Test
    void aSecondSearchIsRefusedIfTheFirstTakesTooLong() throws Exception {
        var limit = new SearchLimit(Duration.ofMillis(1));
        try (var _ = limit.begin()) {
            assertThatThrownBy(limit::begin).isInstanceOf(RejectedException.class);
        }
        limit.begin().close();
    }

    @Test
    void aSecondSearchWaitsForTheFirst() throws Exception {
        var limit = new SearchLimit(Duration.ofMinutes(5));
        var first = limit.begin();
        var second =
                CompletableFuture.supplyAsync(
                        () -> {
                            try (var _ = limit.begin()) {
                                return true;
                            } catch (RejectedException e) {
                                return false;
                            }
                        });
        first.close();
        assertThat(second.join()).isTrue();
    }
}
