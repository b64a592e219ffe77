package dev.berth.node.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * The driver's library. All functions used here take up to five integers or addresses and return a
 * status, so one signature serves them all. A function that this driver does not have returns the
 * same status as the driver itself returns for unsupported requests.
 */
@SuppressWarnings("restricted")
final class Nvml {

    static final String DEFAULT_NAME = "libnvidia-ml.so.1";

    static final int SUCCESS = 0;
    static final int INSUFFICIENT_SIZE = 7;
    static final int TIMEOUT = 10;
    static final int FUNCTION_NOT_FOUND = 13;

    private static final int GPU_IS_LOST = 15;
    private static final int RESET_REQUIRED = 16;
    private static final int UNKNOWN = 999;

    private static final int ARGUMENTS = 5;
    private static final long MAX_MESSAGE_BYTES = 256;

    private static final MethodHandle CALL =
            Linker.nativeLinker()
                    .downcallHandle(
                            FunctionDescriptor.of(
                                    JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                                    JAVA_LONG));

    private static final MethodHandle TEXT =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    /** Longer than one wait for events. */
    private static final Duration SHUTDOWN_WAIT = Duration.ofSeconds(2);

    private final ReadWriteLock use = new ReentrantReadWriteLock();
    private volatile int shutdowns;
    private final SymbolLookup library;
    private final Map<String, Optional<MemorySegment>> functions = new ConcurrentHashMap<>();

    private Nvml(SymbolLookup library) {
        this.library = library;
    }

    /** Empty if there is no such library, or it is not NVML. */
    static Optional<Nvml> load(String nameOrPath) {
        try {
            // Never unloaded: a driver's library may have its own threads and handlers.
            var nvml = new Nvml(SymbolLookup.libraryLookup(nameOrPath, Arena.global()));
            return nvml.has("nvmlInit_v2") ? Optional.of(nvml) : Optional.empty();
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    boolean has(String name) {
        return find(name).isPresent();
    }

    /**
     * @return NVML's status
     */
    int call(String name, long... arguments) {
        assert arguments.length <= ARGUMENTS;
        var function = find(name);
        return function.isEmpty()
                ? FUNCTION_NOT_FOUND
                : withoutThrows(
                        () ->
                                (int)
                                        CALL.invokeExact(
                                                function.get(),
                                                at(arguments, 0),
                                                at(arguments, 1),
                                                at(arguments, 2),
                                                at(arguments, 3),
                                                at(arguments, 4)));
    }

    /** Runs calls that must not overlap with a shutdown, which frees the objects they use. */
    <T> T withoutShutdown(Supplier<T> calls) {
        use.readLock().lock();
        try {
            return calls.get();
        } finally {
            use.readLock().unlock();
        }
    }

    /** Number of shutdowns. Handles become invalid with each. */
    int shutdowns() {
        return shutdowns;
    }

    /** False if a call hangs in the library. */
    boolean shutDown() {
        try {
            if (!use.writeLock().tryLock(SHUTDOWN_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
        try {
            shutdowns++;
            var _ = call("nvmlShutdown");
            return true;
        } finally {
            use.writeLock().unlock();
        }
    }

    /**
     * True if the status means that the GPU did not respond, not that the request is unsupported.
     */
    static boolean isGpuError(int status) {
        return status == GPU_IS_LOST || status == RESET_REQUIRED || status == UNKNOWN;
    }

    /** The driver's text for a status. */
    String describe(int status) {
        var function = find("nvmlErrorString");
        if (function.isEmpty()) {
            return "NVML error " + status;
        }
        long address = withoutThrows(() -> (long) TEXT.invokeExact(function.get(), (long) status));
        return address == 0
                ? "NVML error " + status
                : MemorySegment.ofAddress(address).reinterpret(MAX_MESSAGE_BYTES).getString(0);
    }

    private Optional<MemorySegment> find(String name) {
        return functions.computeIfAbsent(name, library::find);
    }

    private static long at(long[] arguments, int index) {
        return index < arguments.length ? arguments[index] : 0;
    }

    /**
     * A method handle declares Throwable. A C function throws nothing, so the cast removes the
     * checked exception.
     */
    @SuppressWarnings("unchecked")
    private static <T> T withoutThrows(Call<T, Throwable> call) {
        return ((Call<T, RuntimeException>) (Call<T, ?>) call).run();
    }

    @FunctionalInterface
    private interface Call<T, E extends Throwable> {
        T run() throws E;
    }
}
