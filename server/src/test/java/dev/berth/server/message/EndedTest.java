package dev.berth.server.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.CardId;
import dev.berth.core.diagnosis.Cause;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Findings;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskMove;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.port.Event;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Messages are made when they are sent, which may be long after what they tell of. */
class EndedTest {

    private static final Instant START = Instant.parse("2025-11-15T08:00:00Z");
    private static final TaskId ID = new TaskId(7);

    private static Instant at(int seconds) {
        return START.plusSeconds(seconds);
    }

    private static Attempt attempt(int number, int from, int to, int code) {
        var run = new Run(new ProcessKey("boot", 1, 1), at(from + 1));
        return new Attempt(
                new AttemptId(ID, number),
                "here",
                1,
                "boot",
                List.of(),
                at(from),
                new Phase.Ended(Optional.of(run), new Ending.Exited(code), at(to)));
    }

    private static Event event(Event.Kind kind, int seconds) {
        return new Event(
                5,
                at(seconds),
                Owner.BERTH,
                kind,
                Optional.of(ID),
                Optional.empty(),
                new TreeMap<>());
    }

    private static Task task() {
        var spec = TaskSpec.of("train", "x", Need.CPU, "/");
        return Task.queued(ID, Owner.unix("alice"), spec, START)
                .after(new TaskMove.Start(1))
                .after(new TaskMove.Retry(at(20), Optional.empty()))
                .after(new TaskMove.Start(2))
                .after(new TaskMove.Complete(at(100)));
    }

    @Test
    void aRetryIsToldOfWithTheAttemptThatHadFailed() {
        var attempts = List.of(attempt(1, 10, 20, 9), attempt(2, 30, 100, 0));
        var retried = Ended.of(event(Event.Kind.TASK_RETRIED, 20), task(), attempts);
        assertThat(retried.exitCode()).hasValue(9);
        assertThat(retried.error()).contains("exit code 9");
        assertThat(retried.status()).isEqualTo("queued");
        assertThat(retried.ran()).contains(Duration.ofSeconds(9));
        assertThat(retried.waited()).isEmpty();

        var done = Ended.of(event(Event.Kind.TASK_COMPLETED, 100), task(), attempts);
        assertThat(done.exitCode()).hasValue(0);
        assertThat(done.error()).isEmpty();
        assertThat(done.status()).isEqualTo("completed");
        assertThat(done.waited()).contains(Duration.ofSeconds(10));
    }

    @Test
    void outOfMemoryIsToldOfAsTheApiDoes() {
        var diagnosis = new Diagnosis(Cause.OOM, "CUDA out of memory. Tried to allocate 2 GiB");
        var findings = new Findings(Optional.of(diagnosis), Optional.empty());
        var attempts = List.of(attempt(1, 10, 20, 1).with(findings));
        var retried = Ended.of(event(Event.Kind.TASK_RETRIED, 20), task(), attempts);
        assertThat(retried.error()).contains("CUDA out of memory");
    }

    @Test
    void cardsAreHadFromTheGrantOn() {
        var claims =
                List.of(
                        new Claim(new CardId("here", "GPU-0"), 0, true),
                        new Claim(new CardId("here", "GPU-1"), 0, true));
        var plain = attempt(1, 10, 20, 0);
        var two =
                new Attempt(
                        plain.id(), "here", 1, "boot", claims, plain.grantedAt(), plain.phase());
        var ended = Ended.of(event(Event.Kind.TASK_COMPLETED, 100), task(), List.of(two));
        assertThat(ended.ran()).contains(Duration.ofSeconds(9));
        assertThat(ended.cardTime()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void aTaskThatNeverRanHasNothingToShow() {
        var cancelled = Ended.of(event(Event.Kind.TASK_CANCELLED, 5), task(), List.of());
        assertThat(cancelled.exitCode()).isEmpty();
        assertThat(cancelled.ran()).isEmpty();
        assertThat(cancelled.startedAt()).isEmpty();
        assertThat(cancelled.cardTime()).isZero();
    }
}
