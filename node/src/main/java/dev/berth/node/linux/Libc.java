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
 * How functions of the C library are found and called: all in one shape, six integers or addresses
 * to one. Linux on x86-64 and arm64 passes those in registers, where a function looks at as many as
 * it knows and at as much of each as its type is wide. Each further shape would cost tens of
 * milliseconds when the program starts.
 */
@SuppressWarnings("restricted") // the whole point of this package
final class Libc {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LOOKUP = LINKER.defaultLookup();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final int ARGUMENTS = 6;
    private static final long LONGEST_MESSAGE = 256;

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

    /** Where a function leaves its errno. */
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
        try (var arena = Arena.ofConfined()) {
            var text = MemorySegment.ofAddress(STRERROR.call(state(arena), errno));
            return text.reinterpret(LONGEST_MESSAGE).getString(0) + " (errno " + errno + ")";
        }
    }

    /** A function of the C library. */
    record Function(MemorySegment address) {

        /** For what answers a length, an address or another long. */
        long call(MemorySegment state, long... arguments) {
            assert arguments.length <= ARGUMENTS;
            return certainly(
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

        /** For what answers an {@code int}: the register's upper half is noise. */
        int ask(MemorySegment state, long... arguments) {
            return (int) call(state, arguments);
        }

        private static long at(long[] arguments, int index) {
            return index < arguments.length ? arguments[index] : 0;
        }
    }

    /**
     * A method handle's signature says that it may throw anything; a C function throws nothing, and
     * the cast tells the compiler so.
     */
    @SuppressWarnings("unchecked")
    private static long certainly(Call<Throwable> call) {
        return ((Call<RuntimeException>) (Call<?>) call).run();
    }

    @FunctionalInterface
    private interface Call<E extends Throwable> {
        long run() throws E;
    }
}
