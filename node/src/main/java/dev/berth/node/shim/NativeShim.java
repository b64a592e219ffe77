package dev.berth.node.shim;

import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.MemoryProgram;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.ExitWatcher.ProcessEnd;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The shim as a small program, which does what bash does with {@code run.sh}. It starts faster and
 * knows whether a process of the command is left.
 */
public final class NativeShim implements AutoCloseable {

    /**
     * How it ends if it has written the exit record and no process that its command started is
     * left. The kernel tells this to the parent of the shim only.
     */
    public static final ProcessEnd ALL_GONE = new ProcessEnd.Exited(0);

    /** Its exit code without an attempt. */
    static final int NOT_STARTED = 74;

    private static final String PROGRAM = "shim-x86_64";
    private static final String BUILTIN = "shim-x86_64.so";
    private static final Path NOWHERE = Path.of("/dev/null");

    private final MemoryProgram program;
    private final MemoryProgram builtin;

    private NativeShim(MemoryProgram program, MemoryProgram builtin) {
        this.program = program;
        this.builtin = builtin;
    }

    /**
     * @return empty if the choice is bash, or if the program does not work here and the choice
     *     leaves that open
     * @throws IOException the choice is this program, and it does not work here
     */
    public static Optional<NativeShim> open(ShimChoice choice, Spawner spawner) throws IOException {
        return switch (choice) {
            case BASH -> Optional.empty();
            case NATIVE -> Optional.of(load(spawner));
            case AUTO -> {
                try {
                    yield Optional.of(load(spawner));
                } catch (UnavailableException absent) {
                    yield Optional.empty();
                }
            }
        };
    }

    /** Why tasks cannot start through the native program here; empty if they can. */
    public static Optional<String> problem() {
        try (var _ = load(Spawner.forThisHost())) {
            return Optional.empty();
        } catch (IOException unavailable) {
            return Optional.of(String.valueOf(unavailable.getMessage()));
        }
    }

    private static NativeShim load(Spawner spawner) throws UnavailableException {
        var architecture = System.getProperty("os.arch");
        if (!architecture.equals("amd64")) {
            throw new UnavailableException("there is no native shim for " + architecture);
        }
        if (!spawner.opensExitRecord()) {
            throw new UnavailableException("the C library is older than glibc 2.34");
        }
        try {
            var shim = inMemory();
            shim.tryOut(spawner);
            return shim;
        } catch (UnavailableException unavailable) {
            throw unavailable;
        } catch (IOException refused) {
            throw new UnavailableException("it cannot be executed: " + refused.getMessage());
        }
    }

    private static NativeShim inMemory() throws IOException {
        var program = memory("berth-shim", PROGRAM);
        try {
            return new NativeShim(program, memory("berth-bash", BUILTIN));
        } catch (IOException refused) {
            program.close();
            throw refused;
        }
    }

    private static MemoryProgram memory(String name, String resource) throws IOException {
        try (var in = NativeShim.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new UnavailableException("this build has no native shim: no C compiler");
            }
            return MemoryProgram.load(name, in.readAllBytes());
        }
    }

    /** Memory may not be executable here, or no program may be started from it. */
    private void tryOut(Spawner spawner) throws IOException {
        try {
            var command = List.of(program.path().toString());
            var trial = spawner.spawn(new Spawner.SpawnRequest(command, NOWHERE, Optional.empty()));
            var end = ChildProcess.await(trial.pid());
            if (!end.equals(Optional.of(new ChildProcess.Status.Exited(NOT_STARTED)))) {
                throw new UnavailableException("it does not run here: " + end);
            }
        } catch (IOException refused) {
            close();
            throw refused;
        }
    }

    Path program() {
        return program.path();
    }

    /** The same as a builtin, which bash can load. */
    Path builtin() {
        return builtin.path();
    }

    @Override
    public void close() throws IOException {
        program.close();
        builtin.close();
    }

    /** The native program does not work on this host. */
    static final class UnavailableException extends IOException {
        private static final long serialVersionUID = 1;

        UnavailableException(String message) {
            super(message);
        }
    }
}
