package dev.berth.findings.diagnosis;

import java.util.Locale;

/** Why a task failed. */
public enum Cause {
    /** Out of GPU memory. */
    OOM,
    /** Out of host memory; usually the kernel killed the process. */
    HOST_OOM,
    /** The program used the GPU wrongly; another GPU would not help. */
    CUDA,
    /** The GPU itself failed, not the program. */
    GPU_HARDWARE,
    /** Driver, toolkit and program are incompatible, or there is no driver. */
    DRIVER,
    /** The processes of one task could not connect, or a collective operation timed out. */
    NCCL,
    MODULE_MISSING,
    CONDA,
    COMMAND_MISSING,
    FILE_MISSING,
    PERMISSION,
    DISK_FULL,
    /** Packages that are incompatible, missing or cannot be built. */
    PACKAGES,
    PORT_IN_USE,
    NETWORK,
    /** The program rejects its command-line arguments. */
    ARGUMENTS,
    /** Native code crashed or aborted. */
    SEGFAULT,
    /** Slurm, Kubernetes or another scheduler ended the command. */
    SCHEDULER,
    /** Any other exception. */
    TRACEBACK;

    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the failure counts against the GPU, not against the program. */
    public boolean isGpuFailure() {
        return this == GPU_HARDWARE;
    }
}
