package dev.berth.node.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * A separate program that tests whether one GPU computes: it fills some of its memory, reads it
 * back and compares. If the driver crashes or hangs, only this process is affected. The GPU to test
 * is the only visible one.
 */
@SuppressWarnings("restricted")
public final class GpuTestProgram {

    /** Small enough to fit beside other processes on the GPU. */
    private static final long BYTES = 64L << 20;

    private static final byte[] PATTERNS = {(byte) 0xA5, 0x5A};
    private static final int REPEAT_BYTE = 0x01010101;

    static final int PASSED = 0;
    static final int FAILED = 1;
    static final int NO_CUDA = 3;

    private static final MethodHandle CALL =
            Linker.nativeLinker()
                    .downcallHandle(
                            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private final SymbolLookup cuda;
    private final Arena arena;

    private GpuTestProgram(SymbolLookup cuda, Arena arena) {
        this.cuda = cuda;
        this.arena = arena;
    }

    /** The GPU or the CUDA library does not work as it should. */
    private static final class TestFailure extends Exception {
        private static final long serialVersionUID = 1;

        TestFailure(String why) {
            super(why);
        }
    }

    /**
     * @param arguments the path or name of the CUDA library
     */
    public static void main(String[] arguments) throws IOException {
        try (var arena = Arena.ofConfined()) {
            SymbolLookup cuda;
            try {
                cuda = SymbolLookup.libraryLookup(arguments[0], Arena.global());
            } catch (IllegalArgumentException absent) {
                System.exit(NO_CUDA);
                return;
            }
            new GpuTestProgram(cuda, arena).testMemory();
            System.exit(PASSED);
        } catch (TestFailure failure) {
            // This program's only output, read by the server that started it.
            try (var output = new FileOutputStream(FileDescriptor.out)) {
                output.write((failure.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
            }
            System.exit(FAILED);
        }
    }

    private void testMemory() throws TestFailure {
        check("cuInit", 0);
        var device = arena.allocate(JAVA_INT);
        check("cuDeviceGet", device.address(), 0);
        var context = arena.allocate(JAVA_LONG);
        check("cuDevicePrimaryCtxRetain", context.address(), device.get(JAVA_INT, 0));
        check("cuCtxSetCurrent", context.get(JAVA_LONG, 0));
        var pointer = arena.allocate(JAVA_LONG);
        check("cuMemAlloc_v2", pointer.address(), BYTES);
        long memory = pointer.get(JAVA_LONG, 0);
        var back = arena.allocate(BYTES, Long.BYTES);
        var written = arena.allocate(BYTES, Long.BYTES);
        for (byte pattern : PATTERNS) {
            int word = Byte.toUnsignedInt(pattern) * REPEAT_BYTE;
            check("cuMemsetD32_v2", memory, word, BYTES / Integer.BYTES);
            check("cuMemcpyDtoH_v2", back.address(), memory, BYTES);
            if (back.mismatch(written.fill(pattern)) >= 0) {
                throw new TestFailure("its memory does not return what was written to it");
            }
        }
        check("cuMemFree_v2", memory);
        check("cuDevicePrimaryCtxRelease_v2", device.get(JAVA_INT, 0));
    }

    private void check(String function, long... arguments) throws TestFailure {
        int status = call(function, arguments);
        if (status != 0) {
            throw new TestFailure(function + ": " + describe(status));
        }
    }

    private String describe(int status) throws TestFailure {
        var text = arena.allocate(ADDRESS);
        return call("cuGetErrorString", status, text.address()) == 0
                ? text.get(ADDRESS, 0).reinterpret(256).getString(0)
                : "CUDA error " + status;
    }

    private int call(String function, long... arguments) throws TestFailure {
        var found = cuda.find(function);
        if (found.isEmpty()) {
            throw new TestFailure("the CUDA library has no " + function);
        }
        return withoutThrows(
                () ->
                        (int)
                                CALL.invokeExact(
                                        found.get(),
                                        at(arguments, 0),
                                        at(arguments, 1),
                                        at(arguments, 2)));
    }

    private static long at(long[] arguments, int index) {
        return index < arguments.length ? arguments[index] : 0;
    }

    /**
     * A method handle declares Throwable. A C function throws nothing, so the cast removes the
     * checked exception.
     */
    @SuppressWarnings("unchecked")
    private static int withoutThrows(Call<Throwable> call) {
        return ((Call<RuntimeException>) (Call<?>) call).run();
    }

    @FunctionalInterface
    private interface Call<E extends Throwable> {
        int run() throws E;
    }
}
