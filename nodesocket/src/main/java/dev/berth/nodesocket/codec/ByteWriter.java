package dev.berth.nodesocket.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing array of bytes. */
final class ByteWriter {

    private static final int INITIAL_BYTES = 256;

    private byte[] bytes = new byte[INITIAL_BYTES];
    private int size;

    void writeByte(int value) {
        reserve(1);
        bytes[size++] = (byte) value;
    }

    /** Small numbers, also negative ones, need few bytes. */
    void writeLong(long value) {
        writeUnsigned((value << 1) ^ (value >> (Long.SIZE - 1)));
    }

    /** Seven bits in each byte, the lowest first; the highest bit tells that more follow. */
    void writeUnsigned(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            writeByte((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        writeByte((int) rest);
    }

    void writeBytes(byte[] value) {
        writeUnsigned(value.length);
        reserve(value.length);
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
    }

    void writeText(String value) {
        writeBytes(value.getBytes(StandardCharsets.UTF_8));
    }

    byte[] toArray() {
        return Arrays.copyOf(bytes, size);
    }

    private void reserve(int count) {
        if (bytes.length - size < count) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, count), 2 * bytes.length));
        }
    }
}
