package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Lists the entries of a directory that have a number as name, with their inode numbers, which the
 * JDK's listing does not return.
 */
public final class NumberedEntries {
    private static final int O_DIRECTORY =
            System.getProperty("os.arch").equals("amd64") ? 0x10000 : 0x4000;
    private static final int O_CLOEXEC = 0x80000;
    private static final long SYS_GETDENTS64 =
            System.getProperty("os.arch").equals("amd64") ? 217 : 61;
    private static final int BUFFER = 64 * 1024;

    /** {@code struct linux_dirent64}: inode, position, length of this entry, type, name. */
    private static final long LENGTH_AT = 16;

    private static final long NAME_AT = 19;

    private static final Libc.Function OPEN = Libc.function("open");
    private static final Libc.Function SYSCALL = Libc.function("syscall");

    private NumberedEntries() {}

    @FunctionalInterface
    public interface Visitor {
        void entry(long number, long inode);
    }

    public static void list(String directory, Visitor visitor) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var name = arena.allocateFrom(directory);
            var descriptor = OPEN.callInt(state, name.address(), O_DIRECTORY | O_CLOEXEC);
            if (descriptor < 0) {
                throw Libc.failure(state, "open", directory);
            }
            try {
                var buffer = arena.allocate(BUFFER, Long.BYTES);
                long length;
                do {
                    length =
                            SYSCALL.call(
                                    state, SYS_GETDENTS64, descriptor, buffer.address(), BUFFER);
                    if (length < 0) {
                        throw Libc.failure(state, "getdents64", directory);
                    }
                    visit(buffer.asSlice(0, length), visitor);
                } while (length > 0);
            } finally {
                RegularFile.close(descriptor, directory);
            }
        }
    }

    private static void visit(MemorySegment entries, Visitor visitor) {
        for (long at = 0;
                at < entries.byteSize();
                at += entries.get(JAVA_SHORT_UNALIGNED, at + LENGTH_AT)) {
            var number = number(entries, at + NAME_AT);
            if (number >= 0) {
                visitor.entry(number, entries.get(JAVA_LONG_UNALIGNED, at));
            }
        }
    }

    /** -1 if the name is not a number. */
    private static long number(MemorySegment entries, long at) {
        long number = 0;
        var index = at;
        for (byte digit = entries.get(JAVA_BYTE, index);
                digit != 0;
                digit = entries.get(JAVA_BYTE, ++index)) {
            if (digit < '0' || digit > '9') {
                return -1;
            }
            number = number * 10 + (digit - '0');
        }
        return number;
    }
}
