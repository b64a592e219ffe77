package dev.berth.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskTransition;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.port.Event;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.TaskPayload;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Notifications are built when they are sent, which may be long after the event. */
class EndedTaskTest {

    private static final Instant START = Instant.parse("2025-11-15T08:00:00Z");
    private static final TaskId ID = new TaskId(7);

    private static Instant at(int seconds) {
        return START.plusSeconds(seconds);
    }

    private static Attempt attempt(int number, int from, int to, int code) {
        var run = new ShimProcess(new ProcessKey("boot", 1, 1), at(from + 1));
        return new Attempt(
                new AttemptId(ID, number),
                "here",
                1,
                "boot",
                List.of(),
                at(from),
                new Phase.Ended(Optional.of(run), new Ending.Exited(code), at(to)));
    }

    private static Event event(EventPayload payload, int seconds) {
        return new Event(5, at(seconds), Owner.BERTH, Optional.of(ID), Optional.empty(), payload);
    }

    private static Task task() {
        var spec = TaskSpec.of("train", "x", Need.CPU, "/");
        return Task.queued(ID, Owner.unix("alice"), spec, START)
                .after(new TaskTransition.Start(1))
                .after(new TaskTransition.Retry(at(20), Optional.empty()))
                .after(new TaskTransition.Start(2))
                .after(new TaskTransition.Complete(at(100)));
    }

    @Test
    void aRetryShowsTheFailedAttempt() {
        var attempts = List.of(attempt(1, 10, 20, 9), attempt(2, 30, 100, 0));
        var retried =
                EndedTask.of(
                        event(
                                new TaskPayload.TaskRetried(
                                        1, Optional.empty(), OptionalLong.empty()),
                                20),
                        task(),
                        attempts);
        assertThat(retried.exitCode()).hasValue(9);
        assertThat(retried.error()).contains("exit code 9");
        assertThat(retried.status()).isEqualTo("queued");
        assertThat(retried.runTime()).contains(Duration.ofSeconds(9));
        assertThat(retried.waitTime()).isEmpty();

        var done = EndedTask.of(event(new TaskPayload.TaskCompleted(), 100), task(), attempts);
        assertThat(done.exitCode()).hasValue(0);
        assertThat(done.error()).isEmpty();
        assertThat(done.status()).isEqualTo("completed");
        assertThat(done.waitTime()).contains(Duration.ofSeconds(10));
    }

    @Test
    void outOfMemoryIsReportedAsInTheApi() {
        var diagnosis = new Diagnosis(Cause.OOM, "CUDA out of memory. Tried to allocate 2 GiB");
        var findings = new AttemptFindings(Optional.of(diagnosis), Optional.empty());
        var attempts = List.of(attempt(1, 10, 20, 1).with(findings));
        var retried =
                EndedTask.of(
                        event(
                                new TaskPayload.TaskRetried(
                                        1, Optional.empty(), OptionalLong.empty()),
                                20),
                        task(),
                        attempts);
        assertThat(retried.error()).contains("CUDA out of memory");
    }

    @Test
    void gpuTimeStartsWithScheduling() {
        var claims =
                List.of(
                        new Claim(new GpuId("here", "GPU-0"), 0, true),
                        new Claim(new GpuId("here", "GPU-1"), 0, true));
        var plain = attempt(1, 10, 20, 0);
        var two =
                new Attempt(
                        plain.id(), "here", 1, "boot", claims, plain.scheduledAt(), plain.phase());
        var ended = EndedTask.of(event(new TaskPayload.TaskCompleted(), 100), task(), List.of(two));
        assertThat(ended.runTime()).contains(Duration.ofSeconds(9));
        assertThat(ended.gpuTime()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void aTaskThatNeverRanHasNoDetails() {
        var cancelled = EndedTask.of(event(new TaskPayload.TaskCancelled(), 5), task(), List.of());
        assertThat(cancelled.exitCode()).isEmpty();
        assertThat(cancelled.runTime()).isEmpty();
        assertThat(cancelled.startedAt()).isEmpty();
        assertThat(cancelled.gpuTime()).isZero();
    }
}
