package dev.berth.node.card;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The driver's library. Its functions all take up to four integers or addresses and answer a
 * status, so one shape serves them all; a function that this driver does not have answers as the
 * driver itself does for what it cannot do.
 */
@SuppressWarnings("restricted")
final class Nvml {

    static final String USUAL_NAME = "libnvidia-ml.so.1";

    static final int SUCCESS = 0;
    static final int INSUFFICIENT_SIZE = 7;
    static final int FUNCTION_NOT_FOUND = 13;

    private static final int ARGUMENTS = 4;
    private static final long LONGEST_MESSAGE = 256;

    private static final MethodHandle CALL =
            Linker.nativeLinker()
                    .downcallHandle(
                            FunctionDescriptor.of(
                                    JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private static final MethodHandle TEXT =
            Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private final SymbolLookup library;
    private final Map<String, Optional<MemorySegment>> functions = new ConcurrentHashMap<>();

    private Nvml(SymbolLookup library) {
        this.library = library;
    }

    /** Empty where there is no such library, or it is none of NVML's. */
    static Optional<Nvml> load(String nameOrPath) {
        try {
            // Never unloaded: a driver's library keeps threads and handlers of its own.
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
                : certainly(
                        () ->
                                (int)
                                        CALL.invokeExact(
                                                function.get(),
                                                at(arguments, 0),
                                                at(arguments, 1),
                                                at(arguments, 2),
                                                at(arguments, 3)));
    }

    /** What a status means, in the driver's words. */
    String describe(int status) {
        var function = find("nvmlErrorString");
        if (function.isEmpty()) {
            return "NVML error " + status;
        }
        long address = certainly(() -> (long) TEXT.invokeExact(function.get(), (long) status));
        return address == 0
                ? "NVML error " + status
                : MemorySegment.ofAddress(address).reinterpret(LONGEST_MESSAGE).getString(0);
    }

    private Optional<MemorySegment> find(String name) {
        return functions.computeIfAbsent(name, library::find);
    }

    private static long at(long[] arguments, int index) {
        return index < arguments.length ? arguments[index] : 0;
    }

    /** A method handle may throw anything by its signature; a C function throws nothing. */
    @SuppressWarnings("unchecked")
    private static <T> T certainly(Call<T, Throwable> call) {
        return ((Call<T, RuntimeException>) (Call<T, ?>) call).run();
    }

    @FunctionalInterface
    private interface Call<T, E extends Throwable> {
        T run() throws E;
    }
}
