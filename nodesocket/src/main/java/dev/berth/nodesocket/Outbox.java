package dev.berth.nodesocket;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Messages that one thread writes in their order. If the other end takes none for so long that they
 * exceed a limit, the connection is closed: both ends then start again from what is stored.
 */
public final class Outbox implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Outbox.class);

    /** No message is empty. */
    private static final byte[] END = new byte[0];

    private final FrameChannel channel;
    private final long maxBytes;
    private final LinkedBlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final Thread writer;

    private Outbox(FrameChannel channel, long maxBytes, String name) {
        this.channel = channel;
        this.maxBytes = maxBytes;
        this.writer = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    public static Outbox start(FrameChannel channel, long maxBytes, String name) {
        var outbox = new Outbox(channel, maxBytes, name);
        outbox.writer.start();
        return outbox;
    }

    /** Returns at once. What is sent after the end of the connection is dropped. */
    public void send(byte[] message) {
        if (waitingBytes.addAndGet(message.length) > maxBytes) {
            log.warn("the other end takes no messages; the connection is closed");
            close();
        } else {
            waiting.add(message);
        }
    }

    private void run() {
        try {
            for (var message = waiting.take(); message.length > 0; message = waiting.take()) {
                channel.write(message);
                waitingBytes.addAndGet(-message.length);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } catch (IOException broken) {
            log.debug("nothing more can be written", broken);
        } finally {
            closeChannel();
        }
    }

    /** Does not wait for messages that were not written yet. */
    @Override
    public void close() {
        waiting.clear();
        waiting.add(END);
        closeChannel();
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException failure) {
            log.debug("closing the connection", failure);
        }
    }
}
