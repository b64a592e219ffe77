package dev.berth.store;

import java.sql.SQLException;
import java.util.Arrays;

/**
 * Whole numbers in few bytes: seven bits in each, the smaller the number the fewer; the highest bit
 * says that more follow.
 */
final class Packed {

    private static final int BITS = 7;
    private static final int MORE = 0x80;

    private byte[] bytes;
    private int place;

    /** To be written. */
    Packed() {
        this(new byte[512]);
    }

    /** To be read. */
    Packed(byte[] bytes) {
        this.bytes = bytes;
    }

    void put(long value) {
        long rest = value;
        while ((rest & -MORE) != 0) {
            add((byte) (rest | MORE));
            rest >>>= BITS;
        }
        add((byte) rest);
    }

    /** One that may be below 0 and is mostly near it. */
    void putSigned(long value) {
        put(value << 1 ^ value >> 63);
    }

    private void add(byte value) {
        if (place == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        bytes[place++] = value;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, place);
    }

    long next() throws SQLException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += BITS) {
            if (place == bytes.length) {
                throw new SQLException("a blob of the history ends too early");
            }
            byte part = bytes[place++];
            value |= (long) (part & ~MORE & 0xff) << shift;
            if (part >= 0) {
                return value;
            }
        }
        throw new SQLException("a blob of the history holds no number where one is due");
    }

    long nextSigned() throws SQLException {
        long value = next();
        return value >>> 1 ^ -(value & 1);
    }

    /** A number that must lie from 0 to {@code most}: where it does not, the blob is damaged. */
    int next(int most) throws SQLException {
        long value = next();
        if (value < 0 || value > most) {
            throw new SQLException(
                    "a blob of the history holds " + value + " where " + most + " is the most");
        }
        return (int) value;
    }
}
