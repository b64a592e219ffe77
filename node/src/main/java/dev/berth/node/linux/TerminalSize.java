package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;

/** Asks the kernel for the size of the terminal that a descriptor refers to. */
public final class TerminalSize {

    public static final int STANDARD_OUTPUT = 1;

    /** The same number on x86-64 and arm64. */
    private static final int TIOCGWINSZ = 0x5413;

    /** {@code struct winsize}: four shorts, rows before columns. */
    private static final long WINSIZE_BYTES = 8;

    private static final long COLUMNS_AT = 2;

    private TerminalSize() {}

    /** The width in cells, or 0 if the descriptor is no terminal or its width is unknown. */
    public static int columns(int descriptor) {
        try (var arena = Arena.ofConfined()) {
            var size = arena.allocate(WINSIZE_BYTES, Short.BYTES);
            var state = Libc.state(arena);
            int result =
                    Libc.function("ioctl").callInt(state, descriptor, TIOCGWINSZ, size.address());
            return result < 0 ? 0 : Short.toUnsignedInt(size.get(JAVA_SHORT, COLUMNS_AT));
        }
    }
}
