package dev.berth.slurm;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.ScriptReport;

import java.util.List;
import java.util.Optional;

/** What the attempts need to know about their surroundings. */
interface GpuNames {

    /** The GPUs of a host with these indices. */
    List<Gpu> gpus(String host, List<Integer> indices);

    /** The job of a task ended on this host before its command could start. */
    void notStartedOn(String host, TaskId task);

    /** What a script reported about its own end. */
    Optional<ScriptReport> report(String key);
}
