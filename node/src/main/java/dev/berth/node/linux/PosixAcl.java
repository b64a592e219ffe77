package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An access control list that gives one further user a right to a file of this process, and nobody
 * else. The file keeps its owner: an owner could change its mode, or take a lease on it.
 *
 * @param uid the further user
 * @param rights of that user, {@link #READ}, {@link #WRITE} and {@link #EXECUTE}
 */
public record PosixAcl(int uid, int rights) {
    public static final int READ = 4;
    public static final int WRITE = 2;

    /** For a directory: to open a file in it whose name is known. */
    public static final int EXECUTE = 1;

    private static final String ATTRIBUTE = "system.posix_acl_access";

    /** {@code struct posix_acl_xattr_header} and its entries, always in little-endian order. */
    private static final int VERSION = 2;

    private static final int HEADER_BYTES = 4;
    private static final int ENTRY_BYTES = 8;
    private static final int ENTRIES = 5;
    private static final short USER_OBJ = 0x01;
    private static final short USER = 0x02;
    private static final short GROUP_OBJ = 0x04;
    private static final short MASK = 0x10;
    private static final short OTHER = 0x20;
    private static final int NO_ID = -1;

    private static final int MAX_BYTES = 1024;
    private static final int ENODATA = 61;

    private static final Libc.Function SET = Libc.function("lsetxattr");
    private static final Libc.Function GET = Libc.function("lgetxattr");

    /**
     * Replaces the list of a file. The owner of the file keeps all rights that make sense: reading
     * and writing, and searching a directory.
     *
     * @throws ErrnoException with EOPNOTSUPP if the file system has no such lists
     */
    public void set(Path path, boolean isDirectory) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var bytes = bytes(isDirectory);
            var value = arena.allocate(bytes.length);
            value.copyFrom(java.lang.foreign.MemorySegment.ofArray(bytes));
            if (SET.callInt(
                            state,
                            arena.allocateFrom(path.toString()).address(),
                            arena.allocateFrom(ATTRIBUTE).address(),
                            value.address(),
                            bytes.length,
                            0)
                    != 0) {
                throw Libc.failure(state, "setxattr", path);
            }
        }
    }

    private byte[] bytes(boolean isDirectory) {
        var bytes =
                ByteBuffer.allocate(HEADER_BYTES + ENTRIES * ENTRY_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(VERSION);
        put(bytes, USER_OBJ, READ | WRITE | (isDirectory ? EXECUTE : 0), NO_ID);
        put(bytes, USER, rights, uid);
        put(bytes, GROUP_OBJ, 0, NO_ID);
        put(bytes, MASK, rights, NO_ID);
        put(bytes, OTHER, 0, NO_ID);
        return bytes.array();
    }

    private static void put(ByteBuffer bytes, short tag, int rights, int id) {
        bytes.putShort(tag).putShort((short) rights).putInt(id);
    }

    /** The further user of a file and its rights; empty if the file has none, or several. */
    public static Optional<PosixAcl> read(Path path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var value = arena.allocate(MAX_BYTES);
            long length =
                    GET.call(
                            state,
                            arena.allocateFrom(path.toString()).address(),
                            arena.allocateFrom(ATTRIBUTE).address(),
                            value.address(),
                            MAX_BYTES);
            if (length < 0) {
                int errno = Libc.errno(state);
                if (errno == ENODATA || errno == ErrnoException.EOPNOTSUPP) {
                    return Optional.empty();
                }
                throw Libc.failure(state, "getxattr", path);
            }
            return parse(value.asSlice(0, length).toArray(JAVA_BYTE));
        }
    }

    private static Optional<PosixAcl> parse(byte[] value) {
        var bytes = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        if (value.length < HEADER_BYTES || bytes.getInt() != VERSION) {
            return Optional.empty();
        }
        var found = Optional.<PosixAcl>empty();
        while (bytes.remaining() >= ENTRY_BYTES) {
            short tag = bytes.getShort();
            int rights = bytes.getShort();
            int id = bytes.getInt();
            if (tag == USER && found.isPresent()) {
                return Optional.empty();
            }
            found = tag == USER ? Optional.of(new PosixAcl(id, rights)) : found;
        }
        return found;
    }
}
