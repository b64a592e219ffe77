package dev.berth.node.card;

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
 * A program of its own that tries whether the one card it is shown computes: it fills some of its
 * memory, reads it back and compares. A driver that crashes or hangs takes only this process along.
 */
@SuppressWarnings("restricted")
public final class Canary {

    /** So little that it fits beside whatever is on the card. */
    private static final long BYTES = 64L << 20;

    private static final byte[] PATTERNS = {(byte) 0xA5, 0x5A};
    private static final int FOURFOLD = 0x01010101;

    static final int PASSED = 0;
    static final int FAILED = 1;
    static final int NO_CUDA = 3;

    private static final MethodHandle CALL =
            Linker.nativeLinker()
                    .downcallHandle(
                            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private final SymbolLookup cuda;
    private final Arena arena;

    private Canary(SymbolLookup cuda, Arena arena) {
        this.cuda = cuda;
        this.arena = arena;
    }

    /** The card, or what it is tried by, is not what it should be. */
    private static final class Fallen extends Exception {
        private static final long serialVersionUID = 1;

        Fallen(String why) {
            super(why);
        }
    }

    /**
     * @param arguments the library
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
            new Canary(cuda, arena).sing();
            System.exit(PASSED);
        } catch (Fallen fallen) {
            // This program's only output, read by the server that has started it.
            try (var output = new FileOutputStream(FileDescriptor.out)) {
                output.write((fallen.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
            }
            System.exit(FAILED);
        }
    }

    private void sing() throws Fallen {
        must("cuInit", 0);
        var device = arena.allocate(JAVA_INT);
        must("cuDeviceGet", device.address(), 0);
        var context = arena.allocate(JAVA_LONG);
        must("cuDevicePrimaryCtxRetain", context.address(), device.get(JAVA_INT, 0));
        must("cuCtxSetCurrent", context.get(JAVA_LONG, 0));
        var place = arena.allocate(JAVA_LONG);
        must("cuMemAlloc_v2", place.address(), BYTES);
        long memory = place.get(JAVA_LONG, 0);
        var back = arena.allocate(BYTES, Long.BYTES);
        var written = arena.allocate(BYTES, Long.BYTES);
        for (byte pattern : PATTERNS) {
            int word = Byte.toUnsignedInt(pattern) * FOURFOLD;
            must("cuMemsetD32_v2", memory, word, BYTES / Integer.BYTES);
            must("cuMemcpyDtoH_v2", back.address(), memory, BYTES);
            if (back.mismatch(written.fill(pattern)) >= 0) {
                throw new Fallen("its memory gives back something else than was written to it");
            }
        }
        must("cuMemFree_v2", memory);
        must("cuDevicePrimaryCtxRelease_v2", device.get(JAVA_INT, 0));
    }

    private void must(String function, long... arguments) throws Fallen {
        int status = call(function, arguments);
        if (status != 0) {
            throw new Fallen(function + ": " + describe(status));
        }
    }

    private String describe(int status) throws Fallen {
        var text = arena.allocate(ADDRESS);
        return call("cuGetErrorString", status, text.address()) == 0
                ? text.get(ADDRESS, 0).reinterpret(256).getString(0)
                : "CUDA error " + status;
    }

    private int call(String function, long... arguments) throws Fallen {
        var found = cuda.find(function);
        if (found.isEmpty()) {
            throw new Fallen("the CUDA library has no " + function);
        }
        return certainly(
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

    /** A method handle may throw anything by its signature; a C function throws nothing. */
    @SuppressWarnings("unchecked")
    private static int certainly(Call<Throwable> call) {
        return ((Call<RuntimeException>) (Call<?>) call).run();
    }

    @FunctionalInterface
    private interface Call<E extends Throwable> {
        int run() throws E;
    }
}
