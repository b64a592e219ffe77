package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * Finds and calls functions of the C library, all with one signature: six integers or addresses in,
 * one out. Linux on x86-64 and arm64 passes these in registers, and a function reads only the
 * registers and the bits that its parameters need. Every further signature would add tens of
 * milliseconds to the start of the program.
 */
@SuppressWarnings("restricted") // this package exists to call native functions
final class Libc {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LOOKUP = LINKER.defaultLookup();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final int ARGUMENTS = 6;
    private static final long MAX_MESSAGE_BYTES = 256;

    private static final MethodHandle CALL =
            LINKER.downcallHandle(
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                            JAVA_LONG),
                    Linker.Option.captureCallState("errno"));

    private static final Function STRERROR = function("strerror");

    private Libc() {}

    static Function function(String name) {
        return new Function(LOOKUP.findOrThrow(name));
    }

    static Optional<MemorySegment> symbol(String name) {
        return LOOKUP.find(name);
    }

    /** Memory in which a call stores its errno. */
    static MemorySegment state(Arena arena) {
        return arena.allocate(STATE);
    }

    static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    static ErrnoException failure(MemorySegment state, String call, Object subject) {
        return new ErrnoException(call, subject, errno(state));
    }

    static String describe(int errno) {
        return text(errno) + " (errno " + errno + ")";
    }

    static String text(int errno) {
        try (var arena = Arena.ofConfined()) {
            var text = MemorySegment.ofAddress(STRERROR.call(state(arena), errno));
            return text.reinterpret(MAX_MESSAGE_BYTES).getString(0);
        }
    }

    record Function(MemorySegment address) {

        /** For functions that return a length, an address or another long. */
        long call(MemorySegment state, long... arguments) {
            assert arguments.length <= ARGUMENTS;
            return withoutThrows(
                    () ->
                            (long)
                                    CALL.invokeExact(
                                            address,
                                            state,
                                            at(arguments, 0),
                                            at(arguments, 1),
                                            at(arguments, 2),
                                            at(arguments, 3),
                                            at(arguments, 4),
                                            at(arguments, 5)));
        }

        /**
         * For functions that return an {@code int}: the upper half of the register is undefined.
         */
        int callInt(MemorySegment state, long... arguments) {
            return (int) call(state, arguments);
        }

        private static long at(long[] arguments, int index) {
            return index < arguments.length ? arguments[index] : 0;
        }
    }

    /**
     * A method handle declares Throwable. A C function throws nothing, so the cast removes the
     * checked exception.
     */
    @SuppressWarnings("unchecked")
    private static long withoutThrows(Call<Throwable> call) {
        return ((Call<RuntimeException>) (Call<?>) call).run();
    }

    @FunctionalInterface
    private interface Call<E extends Throwable> {
        long run() throws E;
    }
}
