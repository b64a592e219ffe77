package dev.berth.nodesocket;

import dev.berth.nodesocket.codec.MalformedMessage;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Sends and receives frames: four bytes of length, then the message. One thread reads and one
 * writes.
 */
public final class FrameChannel implements AutoCloseable {

    private final SocketChannel channel;

    public FrameChannel(SocketChannel channel) {
        this.channel = channel;
    }

    public void write(byte[] message) throws IOException {
        var header = ByteBuffer.allocate(Integer.BYTES).putInt(message.length).flip();
        var parts = new ByteBuffer[] {header, ByteBuffer.wrap(message)};
        while (parts[1].hasRemaining() || parts[0].hasRemaining()) {
            channel.write(parts);
        }
    }

    /**
     * Waits for the next frame.
     *
     * @throws EOFException the other end closed the connection
     */
    public byte[] read(int maxBytes) throws IOException {
        int length = fill(ByteBuffer.allocate(Integer.BYTES)).getInt();
        if (length < 0 || length > maxBytes) {
            throw new MalformedMessage("a frame of " + length + " bytes is too large");
        }
        return fill(ByteBuffer.allocate(length)).array();
    }

    private ByteBuffer fill(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("the other end closed the connection");
            }
        }
        return buffer.flip();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
