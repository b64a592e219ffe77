package dev.berth.server.message;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * A way to a host, by an address that was looked at: its name is not looked up again. However the
 * other side behaves, it is closed when its time is over.
 */
final class Connection implements AutoCloseable {

    /**
     * What connections are made with.
     *
     * @param tls whom to believe
     */
    record Means(Patience patience, SSLContext tls) {}

    private final String host;
    private final SSLContext tls;
    private final Duration limit;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile Socket socket;
    private volatile boolean isLate;

    private Connection(String host, Socket socket, SSLContext tls, Duration limit) {
        this.host = host;
        this.socket = socket;
        this.tls = tls;
        this.limit = limit;
    }

    /**
     * @param limit from now on to the end
     */
    static Connection open(String host, int port, Means means, Duration limit) throws Undelivered {
        var socket = connected(host, port, means.patience().connect());
        var connection = new Connection(host, socket, means.tls(), limit);
        Thread.ofVirtual().name("message-limit").start(connection::watch);
        return connection;
    }

    private static Socket connected(String host, int port, Duration patience) throws Undelivered {
        var addresses = Addresses.of(host, patience);
        int millis = Math.max(1, (int) (patience.toMillis() / addresses.size()));
        String why = "";
        for (InetAddress address : addresses) {
            var socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, port), millis);
                return socket;
            } catch (IOException e) {
                why = String.valueOf(e.getMessage());
                closeQuietly(socket);
            }
        }
        throw new Undelivered("cannot connect to " + host + ":" + port + ": " + why);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // There is nothing to lose.
        }
    }

    private void watch() {
        try {
            if (!over.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                isLate = true;
                closeQuietly(socket);
            }
        } catch (InterruptedException _) {
            closeQuietly(socket);
        }
    }

    /** Goes on in private, if the other side is who it was meant to be. */
    void secure() throws IOException {
        var secured =
                (SSLSocket)
                        tls.getSocketFactory().createSocket(socket, host, socket.getPort(), true);
        var parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        socket = secured;
    }

    InputStream in() throws IOException {
        return socket.getInputStream();
    }

    OutputStream out() throws IOException {
        return socket.getOutputStream();
    }

    String localAddress() {
        return socket.getLocalAddress().getHostAddress();
    }

    /** What went wrong. */
    Undelivered failed(IOException e) {
        if (isLate) {
            return new Undelivered(host + " did not answer within " + limit.toSeconds() + " s");
        }
        return new Undelivered(
                e instanceof SSLException
                        ? "no safe way to " + host + ": " + e.getMessage()
                        : host + " broke off: " + e.getMessage());
    }

    @Override
    public void close() {
        over.countDown();
        closeQuietly(socket);
    }
}
