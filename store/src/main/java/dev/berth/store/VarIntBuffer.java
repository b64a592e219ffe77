package dev.berth.store;

import java.sql.SQLException;
import java.util.Arrays;

/**
 * A buffer of integers in variable-length encoding: seven bits per byte, the lowest first. The
 * highest bit of a byte is set if another byte follows.
 */
final class VarIntBuffer {

    private static final int BITS = 7;
    private static final int MORE = 0x80;

    private byte[] bytes;
    private int position;

    /** An empty buffer to write to. */
    VarIntBuffer() {
        this(new byte[512]);
    }

    /** A buffer to read from. */
    VarIntBuffer(byte[] bytes) {
        this.bytes = bytes;
    }

    void write(long value) {
        long rest = value;
        while ((rest & -MORE) != 0) {
            add((byte) (rest | MORE));
            rest >>>= BITS;
        }
        add((byte) rest);
    }

    /** Zigzag encoding: numbers near 0 are short, negative ones too. */
    void writeSigned(long value) {
        write(value << 1 ^ value >> 63);
    }

    private void add(byte value) {
        if (position == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        bytes[position++] = value;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, position);
    }

    long read() throws SQLException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += BITS) {
            if (position == bytes.length) {
                throw new SQLException("a blob of the history ends too early");
            }
            byte part = bytes[position++];
            value |= (long) (part & ~MORE & 0xff) << shift;
            if (part >= 0) {
                return value;
            }
        }
        throw new SQLException("a blob of the history holds a number of more than 64 bits");
    }

    long readSigned() throws SQLException {
        long value = read();
        return value >>> 1 ^ -(value & 1);
    }

    /**
     * @throws SQLException if the number is not from 0 to {@code most}: the blob is damaged
     */
    int read(int most) throws SQLException {
        long value = read();
        if (value < 0 || value > most) {
            throw new SQLException(
                    "a blob of the history holds " + value + " where " + most + " is the most");
        }
        return (int) value;
    }
}
