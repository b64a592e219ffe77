package dev.berth.app.bench;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.Change;
import dev.berth.port.StoreFailure;
import dev.berth.store.SqliteTaskStore;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Ended tasks of many users, written into a database. */
final class EndedTasks {

    private static final int BATCH = 2000;
    private static final int USERS = 30;
    private static final int NAMES = 100;
    private static final int MAX_GPUS = 4;
    private static final String NODE = "local";

    private EndedTasks() {}

    /**
     * @param begin when the first one starts; the others follow, one each second
     */
    static void add(SqliteTaskStore store, int tasks, Instant begin) throws StoreFailure {
        var batch = new ArrayList<Change>();
        for (int gpu = 0; gpu < MAX_GPUS; gpu++) {
            batch.add(new Change.GpuSaved(new Gpu(gpu(gpu), gpu, "Simulated", 24576)));
        }
        for (int number = 1; number <= tasks; number++) {
            batch.addAll(ended(number, begin.plusSeconds(number)));
            if (batch.size() >= BATCH || number == tasks) {
                store.commit(batch);
                batch.clear();
            }
        }
    }

    private static GpuId gpu(int index) {
        return new GpuId(NODE, "SIM-%03d".formatted(index));
    }

    private static List<Change> ended(int number, Instant start) {
        var end = start.plusSeconds(60 + number % 600);
        var id = new TaskId(number);
        int gpus = 1 + number % MAX_GPUS;
        var claims = new ArrayList<Claim>();
        for (int gpu = 0; gpu < gpus; gpu++) {
            claims.add(new Claim(gpu(gpu), 1000, true));
        }
        var shim = new ShimProcess(new ProcessKey("boot", number, number), start);
        var attempt =
                new Attempt(
                                new AttemptId(id, 1),
                                NODE,
                                1,
                                "boot",
                                claims,
                                start,
                                new Phase.Running(shim))
                        .after(new PhaseTransition.End(new Ending.Exited(0), end));
        var spec =
                TaskSpec.of(
                        "train " + number % NAMES,
                        "python train.py --config " + number % NAMES + ".yaml --seed " + number,
                        Need.gpus(gpus),
                        "/home/user");
        var task =
                Task.queued(id, Owner.unix("user-" + number % USERS), spec, start)
                        .after(new TaskTransition.Start(1))
                        .after(new TaskTransition.Complete(end));
        return List.of(new Change.TaskSaved(task), new Change.AttemptSaved(attempt));
    }
}
