package dev.berth.nodesocket.codec;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads what {@link ByteWriter} wrote. Every length is checked against the bytes that are left. */
final class ByteReader {

    /** Deeper than any value of the protocol, and far from the end of a thread's stack. */
    private static final int MAX_DEPTH = 64;

    private final byte[] bytes;
    private int position;
    private int depth;

    ByteReader(byte[] bytes) {
        this.bytes = bytes;
    }

    int readByte() throws MalformedMessage {
        requireLeft(1);
        return bytes[position++] & 0xff;
    }

    boolean readBoolean() throws MalformedMessage {
        return readIndex(2) == 1;
    }

    long readLong() throws MalformedMessage {
        long value = readUnsigned();
        return (value >>> 1) ^ -(value & 1);
    }

    long readLong(long min, long max) throws MalformedMessage {
        long value = readLong();
        if (value < min || value > max) {
            throw new MalformedMessage("a number is out of range");
        }
        return value;
    }

    long readUnsigned() throws MalformedMessage {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            long next = readByte();
            value |= (next & 0x7f) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new MalformedMessage("a number is too long");
    }

    /** One of this many alternatives. */
    int readIndex(int alternatives) throws MalformedMessage {
        long index = readUnsigned();
        if (index < 0 || index >= alternatives) {
            throw new MalformedMessage("an alternative does not exist");
        }
        return (int) index;
    }

    /** A number of elements, each of which needs a byte. */
    int readCount() throws MalformedMessage {
        long count = readUnsigned();
        if (count < 0 || count > bytes.length - position) {
            throw new MalformedMessage("a length exceeds the message");
        }
        return (int) count;
    }

    byte[] readBytes() throws MalformedMessage {
        int length = readCount();
        position += length;
        return Arrays.copyOfRange(bytes, position - length, position);
    }

    String readText() throws MalformedMessage {
        int length = readCount();
        try {
            var text =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes, position, length))
                            .toString();
            position += length;
            return text;
        } catch (CharacterCodingException invalid) {
            throw new MalformedMessage("a text is not UTF-8", invalid);
        }
    }

    /** Call {@link #leave} after the value. */
    void enter() throws MalformedMessage {
        if (++depth > MAX_DEPTH) {
            throw new MalformedMessage("a value is nested too deeply");
        }
    }

    void leave() {
        depth--;
    }

    void requireEnd() throws MalformedMessage {
        if (position != bytes.length) {
            throw new MalformedMessage("bytes follow the message");
        }
    }

    private void requireLeft(int count) throws MalformedMessage {
        if (bytes.length - position < count) {
            throw new MalformedMessage("the message is cut off");
        }
    }
}
