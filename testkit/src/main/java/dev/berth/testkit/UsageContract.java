package dev.berth.testkit;

import static dev.berth.testkit.StoreSamples.CARD;
import static dev.berth.testkit.StoreSamples.OTHER_CARD;
import static dev.berth.testkit.StoreSamples.RUN;
import static dev.berth.testkit.StoreSamples.at;
import static dev.berth.testkit.StoreSamples.id;
import static dev.berth.testkit.StoreSamples.save;
import static dev.berth.testkit.StoreSamples.saved;
import static dev.berth.testkit.StoreSamples.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.GpuConsumption;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.port.TaskStore;
import dev.berth.port.read.GpuRun;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.UserUsage;
import dev.berth.port.read.UserUsage.Load;
import dev.berth.port.read.UserUsage.Memory;
import dev.berth.port.read.UserUsage.Tasks;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** The GPU usage per user that every store computes. The period is from 100 to 200. */
public abstract class UsageContract {

    private static final Claim ONE = new Claim(CARD, 1000, false);
    private static final Claim OTHER = new Claim(OTHER_CARD, 1000, false);

    /** A store for the next server with this test's home. */
    protected abstract TaskStore nextServerStore() throws Exception;

    /** The queries on this test's home. */
    protected abstract TaskQueries queries() throws Exception;

    @Test
    void anEmptyHomeHasNoUsage() throws Exception {
        opened();

        assertThat(usage()).isEmpty();
    }

    @Test
    void gpuTimeCountsPerGpuAndOnlyWithinThePeriod() throws Exception {
        var store = opened();
        ran(store, task(1, "ann", 0, completed(150)), attempt(1, 1, 50, ended(150), ONE, OTHER));
        ran(store, task(2, "ann", 0, running()), attempt(2, 1, 180, new Phase.Running(RUN), ONE));
        ran(store, task(3, "bob", 0, completed(300)), attempt(3, 1, 190, ended(300), ONE));
        ran(store, task(4, "bob", 0, completed(99)), attempt(4, 1, 10, ended(99), ONE));
        ran(store, task(5, "eve", 0, completed(300)), attempt(5, 1, 210, ended(300), ONE));

        assertThat(usage()).extracting(UserUsage::user).containsExactly("ann", "bob");
        assertThat(of("ann").gpuSeconds()).isCloseTo(2 * 50 + 20, within(1e-6));
        assertThat(of("ann").tasks()).isEqualTo(new Tasks(2, 1, 0, 0));
        assertThat(of("bob").gpuSeconds()).isCloseTo(10, within(1e-6));
        assertThat(of("bob").tasks()).isEqualTo(new Tasks(1, 0, 0, 0));
    }

    @Test
    void allFinishedTasksCountAlsoWithoutRunOrGpu() throws Exception {
        var store = opened();
        ran(store, task(1, "ann", 0, failed(101)), attempt(1, 1, 20, ended(30)));
        ran(store, task(2, "ann", 0, completed(200)), attempt(2, 1, 150, ended(200)));
        save(store, saved(task(3, "ann", 0, new TaskState.Cancelled(at(120)))));
        save(store, saved(task(4, "ann", 0, new TaskState.Cancelled(at(100)))));
        save(store, saved(task(5, "ann", 0, new TaskState.Queued())));

        assertThat(of("ann").tasks()).isEqualTo(new Tasks(3, 1, 1, 1));
        assertThat(of("ann").gpuSeconds()).isZero();
    }

    @Test
    void waitsCountForFirstAttemptsStartedInThePeriod() throws Exception {
        var store = opened();
        ran(store, task(1, "ann", 90, completed(130)), attempt(1, 1, 100, ended(130), ONE));
        ran(store, task(2, "ann", 100, completed(190)), attempt(2, 1, 130, ended(140), ONE));
        // A retry: the task was queued again after its first attempt had started.
        ran(store, task(3, "ann", 150, completed(190)), attempt(3, 1, 120, ended(140), ONE));
        save(store, saved(attempt(3, 2, 160, ended(190), ONE)));
        ran(store, task(4, "ann", 10, completed(190)), attempt(4, 1, 99, ended(190), ONE));

        // The third waited from its creation, at 0.
        assertThat(of("ann").waitMicros())
                .containsExactly(10_000_000L, 30_000_000L, 120_000_000L - 3);
    }

    @Test
    void aDraftThatWasStartedByHandHasNotWaited() throws Exception {
        var queued = task(1, "ann", 90, completed(130));
        var byHand =
                new Task(
                        queued.id(),
                        queued.owner(),
                        queued.spec(),
                        queued.createdAt(),
                        Optional.empty(),
                        queued.state(),
                        1,
                        0,
                        Optional.empty());
        ran(opened(), byHand, attempt(1, 1, 100, ended(130), ONE));
        assertThat(of("ann").waitMicros()).containsExactly(0);
    }

    @Test
    void loadIsWeightedByGpuTimeAndMemoryByTheRequest() throws Exception {
        var store = opened();
        ran(
                store,
                task(1, "ann", 0, completed(140)),
                found(attempt(1, 1, 100, ended(140), ONE, OTHER), 400, OptionalInt.of(50)));
        ran(
                store,
                task(2, "ann", 0, completed(140)),
                found(attempt(2, 1, 120, ended(140), ONE), 200, OptionalInt.of(100)));
        ran(store, task(3, "ann", 0, completed(140)), attempt(3, 1, 110, ended(140), ONE));
        ran(
                store,
                task(4, "ann", 0, completed(140)),
                found(
                        attempt(4, 1, 130, ended(140), new Claim(CARD, 0, false)),
                        700,
                        OptionalInt.empty()));

        assertThat(of("ann").load()).isEqualTo(new Load(80 * 50 + 20 * 100, 100));
        assertThat(of("ann").load().meanPercent()).hasValue(60);
        assertThat(of("ann").memory()).isEqualTo(new Memory(2, 2000, 600));
        assertThat(of("ann").memory().efficiency()).hasValue(0.3);
    }

    @Test
    void endedRunsHeldGpusWithinThePeriodAndTheLastEndedComesFirst() throws Exception {
        var store = opened();
        var first = task(1, "ann", 0, completed(150));
        var last = task(2, "bob", 0, failed(300));
        ran(store, first, attempt(1, 1, 50, ended(150), ONE, OTHER));
        ran(store, last, attempt(2, 1, 199, ended(300), ONE));
        ran(store, task(3, "ann", 0, completed(100)), attempt(3, 1, 50, ended(100), ONE));
        ran(store, task(4, "ann", 0, completed(300)), attempt(4, 1, 200, ended(300), ONE));
        ran(store, task(5, "ann", 0, completed(160)), attempt(5, 1, 150, ended(160)));
        ran(store, task(6, "ann", 0, running()), attempt(6, 1, 180, new Phase.Running(RUN), ONE));

        assertThat(queries().gpuRuns(at(100), at(200), 10))
                .containsExactly(run(last, 199, 300, CARD), run(first, 50, 150, CARD, OTHER_CARD));
        assertThat(queries().gpuRuns(at(100), at(200), 1))
                .containsExactly(run(last, 199, 300, CARD));
    }

    private static GpuRun run(Task task, int start, int end, GpuId... gpus) {
        return new GpuRun(
                new AttemptId(task.id(), 1),
                task.spec().name(),
                task.owner().name(),
                task.state().apiName(),
                Stream.of(gpus).sorted().toList(),
                at(start),
                at(end));
    }

    private List<UserUsage> usage() throws Exception {
        return queries().usage(at(100), at(200));
    }

    private UserUsage of(String user) throws Exception {
        return usage().stream().filter(one -> one.user().equals(user)).findFirst().orElseThrow();
    }

    private TaskStore opened() throws Exception {
        var store = nextServerStore();
        store.open();
        return store;
    }

    private static void ran(TaskStore store, Task task, Attempt attempt) throws Exception {
        save(store, saved(task), saved(attempt));
    }

    /** A task created at 0. */
    private static Task task(long id, String owner, int queuedAt, TaskState state) {
        return new Task(
                id(id),
                Owner.unix(owner),
                spec(Need.CPU),
                at(0).plusNanos(id * 1000),
                Optional.of(at(queuedAt)),
                state,
                state instanceof TaskState.Queued || state instanceof TaskState.Cancelled ? 0 : 1,
                0,
                Optional.empty());
    }

    private static TaskState running() {
        return new TaskState.Running(1);
    }

    private static TaskState completed(int second) {
        return new TaskState.Completed(at(second));
    }

    private static TaskState failed(int second) {
        return new TaskState.Failed(at(second), "exit code 1");
    }

    private static Phase ended(int second) {
        return new Phase.Ended(Optional.of(RUN), new Ending.Exited(0), at(second));
    }

    private static Attempt attempt(
            long task, int number, int grantedAt, Phase phase, Claim... claims) {
        return new Attempt(
                new AttemptId(id(task), number),
                "host-a",
                1,
                "boot-1",
                List.of(claims),
                at(grantedAt),
                phase);
    }

    private static Attempt found(Attempt attempt, long peakMib, OptionalInt meanPercent) {
        var consumption =
                new GpuConsumption(
                        peakMib, peakMib / 2, meanPercent, meanPercent, Duration.ofHours(1));
        return attempt.with(new AttemptFindings(Optional.empty(), Optional.of(consumption)));
    }
}
