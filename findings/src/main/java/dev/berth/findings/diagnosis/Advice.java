package dev.berth.findings.diagnosis;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** What to do about a diagnosis. */
public final class Advice {

    private static final int LOWEST_PORT = 10_000;

    /** The range ends below the ports that the kernel gives to outgoing connections. */
    private static final int PORTS = 20_000;

    private final Diagnosis diagnosis;
    private final TaskContext task;

    private Advice(Diagnosis diagnosis, TaskContext task) {
        this.diagnosis = diagnosis;
        this.task = task;
    }

    public static Remedy of(Diagnosis diagnosis, TaskContext task) {
        var advice = new Advice(diagnosis, task);
        var redo = advice.redo();
        var variant = advice.variant();
        return new Remedy(
                diagnosis.cause().code() + (variant.isEmpty() ? "" : "." + variant),
                advice.params(),
                redo.isEmpty() ? Optional.empty() : Optional.of(redo));
    }

    /** Which of several sentences about the cause applies; empty for the general one. */
    private String variant() {
        return switch (diagnosis.cause()) {
            case OOM -> new MemoryAdvice(diagnosis, task).variant();
            case HOST_OOM -> isSharedMemory() ? "shared" : kind();
            case CONDA -> has("env") ? "env" : has("path") ? "path" : "";
            case FILE_MISSING -> isWorkDir(param("path")) ? "work_dir" : kind();
            case COMMAND_MISSING -> has("command") ? "named" : "";
            case PERMISSION -> has("path") ? "path" : kind();
            case PACKAGES -> has("package") ? "package" : kind();
            case MODULE_MISSING -> module().variant();
            case SEGFAULT -> CrashKind.of(diagnosis.line()).variant();
            case CUDA,
                    GPU_HARDWARE,
                    DRIVER,
                    NCCL,
                    DISK_FULL,
                    PORT_IN_USE,
                    NETWORK,
                    ARGUMENTS,
                    SCHEDULER,
                    TRACEBACK ->
                    kind();
        };
    }

    /** The directory existed when the task was submitted. */
    private boolean isWorkDir(String path) {
        return !path.isEmpty() && path.equals(task.workDir());
    }

    private String kind() {
        return param(Diagnosis.KIND);
    }

    /** The values from the log, and those that only the sentence needs. */
    private SortedMap<String, String> params() {
        var params = new TreeMap<>(diagnosis.params());
        switch (diagnosis.cause()) {
            case OOM -> params.putAll(new MemoryAdvice(diagnosis, task).params());
            case MODULE_MISSING -> {
                params.put("package", module().packageName());
                params.put("top", module().top());
            }
            case FILE_MISSING -> params.put("work_dir", task.workDir());
            case HOST_OOM,
                    CUDA,
                    GPU_HARDWARE,
                    DRIVER,
                    NCCL,
                    CONDA,
                    COMMAND_MISSING,
                    PERMISSION,
                    DISK_FULL,
                    PACKAGES,
                    PORT_IN_USE,
                    NETWORK,
                    ARGUMENTS,
                    SEGFAULT,
                    SCHEDULER,
                    TRACEBACK -> {}
        }
        return params;
    }

    private boolean isSharedMemory() {
        var line = diagnosis.line();
        return line.contains("Bus error")
                || line.contains("shared memory")
                || line.contains("</torch_")
                || line.contains("/dev/shm");
    }

    private PythonModule module() {
        return new PythonModule(param("module"));
    }

    private RerunChanges redo() {
        return switch (diagnosis.cause()) {
            case OOM -> new MemoryAdvice(diagnosis, task).redo();
            case CUDA -> with("CUDA_LAUNCH_BLOCKING", "1");
            case NCCL -> with("NCCL_DEBUG", "INFO");
            case SEGFAULT -> with("PYTHONFAULTHANDLER", "1");
            case PORT_IN_USE -> isPyTorch() ? withOtherPort() : nothing();
            case HOST_OOM,
                    GPU_HARDWARE,
                    DRIVER,
                    MODULE_MISSING,
                    CONDA,
                    COMMAND_MISSING,
                    FILE_MISSING,
                    PERMISSION,
                    DISK_FULL,
                    PACKAGES,
                    NETWORK,
                    ARGUMENTS,
                    SCHEDULER,
                    TRACEBACK ->
                    nothing();
        };
    }

    /** Only PyTorch reads its port from the environment. */
    private boolean isPyTorch() {
        return task.environment().containsKey("MASTER_PORT")
                || diagnosis.line().contains("server socket has failed");
    }

    /** The program itself reads MASTER_PORT, torchrun reads PET_MASTER_PORT. */
    private RerunChanges withOtherPort() {
        int usedPort = has("port") ? Integer.parseInt(param("port")) : 0;
        var other = Integer.toString(LOWEST_PORT + (usedPort * 31 + 7919) % PORTS);
        var environment = new TreeMap<String, String>();
        environment.put("MASTER_PORT", other);
        environment.put("PET_MASTER_PORT", other);
        return new RerunChanges(OptionalLong.empty(), environment);
    }

    /** Nothing if the task has this variable already: it did not help. */
    private RerunChanges with(String name, String value) {
        return value.equals(task.environment().get(name))
                ? nothing()
                : new RerunChanges(OptionalLong.empty(), new TreeMap<>(Map.of(name, value)));
    }

    private static RerunChanges nothing() {
        return new RerunChanges(OptionalLong.empty(), new TreeMap<>());
    }

    private boolean has(String name) {
        return diagnosis.params().containsKey(name);
    }

    private String param(String name) {
        return diagnosis.params().getOrDefault(name, "");
    }
}
