package dev.berth.port.read;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.GpuConsumption;

import java.util.Optional;

/** GPU consumption of running attempts. */
@FunctionalInterface
public interface ConsumptionReader {

    /** Empty if the attempt has not been seen on a GPU or has ended. */
    Optional<GpuConsumption> of(AttemptId attempt);
}
