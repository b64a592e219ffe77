package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.WarmModels;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Which workers leave a GPU of 24,000 MiB for a task. */
class EvictionTest {

    private static final Gpu GPU = new Gpu(new GpuId("here", "GPU-0"), 0, "A", 24_000);
    private static final Planner PLANNER = new Planner(SchedulingRules.DEFAULT);

    private final List<WarmWorker> workers = new ArrayList<>();
    private final List<GpuProcess> processes = new ArrayList<>();

    /** A worker that was last used this many seconds after the others began. */
    private WarmWorker worker(String model, int usedAt, WarmWorker.Status status) {
        var id = new AttemptId(new TaskId(workers.size() + 1), 1);
        var worker =
                new WarmWorker(
                        id,
                        model,
                        GPU.id(),
                        6000,
                        status,
                        Optional.empty(),
                        Instant.EPOCH.plusSeconds(usedAt));
        workers.add(worker);
        if (status != WarmWorker.Status.LOADING) {
            processes.add(
                    new GpuProcess(
                            workers.size(),
                            OptionalLong.of(6000),
                            GpuProcess.Kind.COMPUTE,
                            "python",
                            new ProcessOwner.BerthAttempt(id),
                            Optional.empty()));
        }
        return worker;
    }

    private GpuView view() {
        long used = processes.stream().mapToLong(one -> one.usedMib().orElse(0)).sum();
        var reading =
                new GpuReading(
                                OptionalLong.of(used),
                                OptionalLong.of(24_000 - used),
                                OptionalInt.of(0),
                                OptionalInt.of(40))
                        .withProcesses(Optional.of(processes));
        var warm =
                PersistentMap.<GpuId, List<WarmWorker>>empty().with(GPU.id(), List.copyOf(workers));
        return new GpuView(new GpuState.Readable(GPU, reading), List.of(), List.of())
                .with(new WarmModels(warm, PersistentMap.empty()));
    }

    private List<WarmWorker> evicted(Need.GpuMemory memory, Optional<String> calledModel) {
        var need = new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), memory);
        var work =
                calledModel.map(
                        name -> new ModelWork(Optional.of(name), Optional.empty(), 0, true));
        var shape = Shape.of(need, work);
        assertThat(PLANNER.refusal(shape, view(), false)).isEmpty();
        return Eviction.needed(PLANNER.requirement(need, shape), view(), PLANNER.rules());
    }

    private List<WarmWorker> evictedFor(long mib) {
        return evicted(Need.GpuMemory.of(mib), Optional.empty());
    }

    private List<WarmWorker> evictedForCall(String model) {
        return evicted(Need.GpuMemory.of(7000), Optional.of(model));
    }

    @Test
    void onlyAsManyAsNeededLeaveAndTheLeastRecentlyUsedFirst() {
        var recent = worker("a", 9, WarmWorker.Status.READY);
        var old = worker("b", 1, WarmWorker.Status.READY);
        assertThat(evictedFor(12_000)).isEmpty();
        assertThat(evictedFor(12_001)).containsExactly(old);
        assertThat(evictedFor(18_001)).containsExactly(old, recent);
    }

    @Test
    void aTaskThatStatesNoMemoryGetsANearlyEmptyGpu() {
        var worker = worker("a", 1, WarmWorker.Status.READY);
        assertThat(evicted(Need.GpuMemory.UNSTATED, Optional.empty())).containsExactly(worker);
    }

    @Test
    void whatALoadingWorkerWillTakeIsNotFree() {
        var loading = worker("a", 1, WarmWorker.Status.LOADING);
        assertThat(evictedFor(18_000)).isEmpty();
        assertThat(evictedFor(18_001)).containsExactly(loading);
    }

    @Test
    void aCallKeepsTheWorkerOfItsModelAndAThirdModelMakesRoom() {
        var old = worker("a", 1, WarmWorker.Status.READY);
        worker("b", 9, WarmWorker.Status.READY);
        assertThat(evictedForCall("a")).isEmpty();
        assertThat(evictedForCall("c")).containsExactly(old);
    }

    @Test
    void oneThatIsLeavingIsWaitedForBeforeAnotherIsEnded() {
        worker("a", 1, WarmWorker.Status.READY);
        var leaving = worker("b", 9, WarmWorker.Status.STOPPING);
        assertThat(evictedFor(12_001)).containsExactly(leaving);
        assertThat(evictedForCall("b")).containsExactly(leaving);
    }
}
