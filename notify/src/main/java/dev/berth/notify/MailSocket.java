package dev.berth.notify;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Proxy;
import java.net.Socket;

/**
 * A socket that limits the bytes it receives: the mail library reads replies of any length into
 * memory. It uses no proxy.
 */
final class MailSocket extends Socket {

    /** Far more than the replies of one session. */
    static final int MAX_BYTES = 256 << 10;

    private int received;

    MailSocket() {
        super(Proxy.NO_PROXY);
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new LimitedStream(super.getInputStream());
    }

    private int count(int bytes) throws IOException {
        received += Math.max(bytes, 0);
        if (received > MAX_BYTES) {
            throw new IOException("its answer has no end");
        }
        return bytes;
    }

    /** All streams of the socket share one limit: TLS opens a second one. */
    private final class LimitedStream extends FilterInputStream {
        LimitedStream(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int next = super.read();
            count(next < 0 ? 0 : 1);
            return next;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            return count(super.read(buffer, offset, length));
        }
    }
}
