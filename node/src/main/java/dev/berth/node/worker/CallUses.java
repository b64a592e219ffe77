package dev.berth.node.worker;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.GpuConsumption;

import java.util.Optional;

/** Measures what the processes of a worker use of its GPU while they run a task. */
public interface CallUses {

    /** Nothing is measured. */
    CallUses NONE =
            new CallUses() {
                @Override
                public void callStarted(AttemptId call, AttemptId worker) {}

                @Override
                public Optional<GpuConsumption> callEnded(AttemptId call) {
                    return Optional.empty();
                }
            };

    void callStarted(AttemptId call, AttemptId worker);

    /** Empty if the GPU was not read while the task ran. */
    Optional<GpuConsumption> callEnded(AttemptId call);
}
