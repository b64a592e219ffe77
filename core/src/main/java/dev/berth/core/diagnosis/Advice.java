package dev.berth.core.diagnosis;

import dev.berth.core.task.TaskSpec;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** What to do about a diagnosis. */
public final class Advice {

    private static final int LOWEST_PORT = 10_000;

    /** Below those that the kernel gives to outgoing connections. */
    private static final int PORTS = 20_000;

    private final Diagnosis diagnosis;
    private final TaskSpec spec;
    private final OptionalLong mostMib;

    private Advice(Diagnosis diagnosis, TaskSpec spec, OptionalLong mostMib) {
        this.diagnosis = diagnosis;
        this.spec = spec;
        this.mostMib = mostMib;
    }

    /**
     * @param mostMib that a card could give to such a task; none where nobody knows
     */
    public static Remedy on(Diagnosis diagnosis, TaskSpec spec, OptionalLong mostMib) {
        var advice = new Advice(diagnosis, spec, mostMib);
        var redo = advice.redo();
        return new Remedy(
                advice.sentence(), redo.isNothing() ? Optional.empty() : Optional.of(redo));
    }

    private String sentence() {
        return switch (diagnosis.cause()) {
            case OOM -> new MemoryAdvice(diagnosis, spec, mostMib).advice();
            case HOST_OOM -> hostMemory();
            case CUDA ->
                    "The program misused its card"
                            + named("assertion", ", as " + quoted("assertion") + " did not hold")
                            + ": run it again with CUDA_LAUNCH_BLOCKING=1 to see which line of it"
                            + " does, and check indices and shapes.";
            case GPU_HARDWARE ->
                    "The card itself failed: run it again on another card and have this one looked"
                            + " at.";
            case DRIVER ->
                    "The program and the driver of this machine do not go together, or it sees no"
                            + " card: compare nvidia-smi with the CUDA version the program was"
                            + " built for.";
            case NCCL ->
                    "Its processes lost each other: run it again with NCCL_DEBUG=INFO to see which"
                            + " of them, and check that each reaches the same collective call.";
            case MODULE_MISSING -> module();
            case CONDA -> conda();
            case COMMAND_MISSING -> command();
            case FILE_MISSING ->
                    "Check the path"
                            + named("path", " " + quoted("path"))
                            + ": relative paths begin at the task's working directory, "
                            + spec.workDir()
                            + ".";
            case PERMISSION -> permission();
            case DISK_FULL ->
                    "Free some space"
                            + named("path", " where " + quoted("path") + " lies")
                            + ", or write checkpoints and caches to another disk.";
            case PACKAGES -> packages();
            case PORT_IN_USE ->
                    "Another program holds the port"
                            + named("port", " " + plain("port"))
                            + ": choose another one, for torchrun with --master-port or"
                            + " --standalone.";
            case NETWORK ->
                    "The network"
                            + named("url", " at " + quoted("url"))
                            + " could not be reached: check the connection and proxy settings, or"
                            + " download what it needs beforehand.";
            case ARGUMENTS ->
                    "Correct the arguments of the command"
                            + named("problem", ": " + plain("problem"))
                            + ".";
            case SEGFAULT ->
                    "Native code crashed: run it again with PYTHONFAULTHANDLER=1 to see where, and"
                            + " check that compiled packages fit each other.";
            case TRACEBACK ->
                    "The program raised"
                            + named("exception", " " + plain("exception"))
                            + ": the lines above it in the log say where.";
        };
    }

    private String hostMemory() {
        var isShared =
                diagnosis.line().contains("Bus error")
                        || diagnosis.line().contains("shared memory");
        return isShared
                ? "Shared memory ran out: use fewer data loader workers, or enlarge /dev/shm."
                : "The machine's memory (not the card's) ran out, and the kernel most likely ended"
                      + " it: use fewer data loader workers, load less at once, or run fewer tasks"
                      + " beside it.";
    }

    private String module() {
        var module = plain("module");
        var top = module.contains(".") ? module.substring(0, module.indexOf('.')) : module;
        return "Install it in the environment the task uses (pip install "
                + packageOf(top)
                + "), or activate the environment that has the module '"
                + module
                + "' in the command.";
    }

    /** Some modules come with a package of another name. */
    private static String packageOf(String module) {
        return switch (module) {
            case "cv2" -> "opencv-python";
            case "PIL" -> "pillow";
            case "sklearn" -> "scikit-learn";
            case "skimage" -> "scikit-image";
            case "yaml" -> "pyyaml";
            case "bs4" -> "beautifulsoup4";
            case "dateutil" -> "python-dateutil";
            case "pkg_resources" -> "setuptools";
            default -> module;
        };
    }

    private String conda() {
        if (has("env")) {
            return "There is no conda environment "
                    + quoted("env")
                    + " here: create it, or correct its name (conda env list shows all).";
        }
        if (has("path")) {
            return "There is no conda environment at " + quoted("path") + ": correct the path.";
        }
        return "Conda is not set up in the task's shell: set conda_init_script in the"
                + " configuration, or source conda.sh in the command before conda activate.";
    }

    private String command() {
        return has("command")
                ? "The command "
                        + quoted("command")
                        + " is not in the task's PATH: install it, name its whole path, or activate"
                        + " the environment that has it."
                : "A command is not in the task's PATH: install it, or name its whole path.";
    }

    private String permission() {
        return has("path")
                ? "Give the server's user the right to use "
                        + quoted("path")
                        + ", or make it executable (chmod +x) if it is to run."
                : "Access was refused: check rights on the files, or the token of the service it"
                        + " talks to.";
    }

    private String packages() {
        if (has("package")) {
            return "The package "
                    + quoted("package")
                    + " cannot be installed here: check its name, its version and the version of"
                    + " Python.";
        }
        if (has("library")) {
            return "The library "
                    + quoted("library")
                    + " is missing: install it, or add its directory to LD_LIBRARY_PATH.";
        }
        return "Installed packages do not go together: install versions that fit each other, best"
                + " in a fresh environment.";
    }

    private Redo redo() {
        return switch (diagnosis.cause()) {
            case OOM -> new MemoryAdvice(diagnosis, spec, mostMib).redo();
            case CUDA -> with("CUDA_LAUNCH_BLOCKING", "1");
            case NCCL -> with("NCCL_DEBUG", "INFO");
            case SEGFAULT -> with("PYTHONFAULTHANDLER", "1");
            case PORT_IN_USE -> isOfTorch() ? onOtherPort() : nothing();
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
                    TRACEBACK ->
                    nothing();
        };
    }

    /** Only PyTorch looks for its port in the environment. */
    private boolean isOfTorch() {
        return spec.environment().containsKey("MASTER_PORT")
                || diagnosis.line().contains("server socket has failed");
    }

    /** A program reads the one variable, torchrun the other. */
    private Redo onOtherPort() {
        int taken = has("port") ? Integer.parseInt(plain("port")) : 0;
        var other = Integer.toString(LOWEST_PORT + (taken * 31 + 7919) % PORTS);
        var environment = new TreeMap<String, String>();
        environment.put("MASTER_PORT", other);
        environment.put("PET_MASTER_PORT", other);
        return new Redo(OptionalLong.empty(), environment);
    }

    /** What the task has already did not help. */
    private Redo with(String name, String value) {
        return value.equals(spec.environment().get(name))
                ? nothing()
                : new Redo(OptionalLong.empty(), new TreeMap<>(Map.of(name, value)));
    }

    private static Redo nothing() {
        return new Redo(OptionalLong.empty(), new TreeMap<>());
    }

    private boolean has(String name) {
        return diagnosis.params().containsKey(name);
    }

    private String named(String name, String words) {
        return has(name) ? words : "";
    }

    private String plain(String name) {
        return diagnosis.params().getOrDefault(name, "");
    }

    private String quoted(String name) {
        return "'" + plain(name) + "'";
    }
}
