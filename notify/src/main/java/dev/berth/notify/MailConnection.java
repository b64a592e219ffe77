package dev.berth.notify;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * A connection to an address that the address policy has accepted: the host is not resolved again.
 * It is closed when its time limit ends, whatever the server does.
 */
final class MailConnection implements AutoCloseable {

    private final String host;
    private final MailSocket socket;
    private final ConnectionSettings settings;
    private final Duration limit;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean isTimedOut;

    private MailConnection(
            String host, MailSocket socket, ConnectionSettings settings, Duration limit) {
        this.host = host;
        this.socket = socket;
        this.settings = settings;
        this.limit = limit;
    }

    /**
     * @param limit for the whole exchange, from now on
     */
    static MailConnection open(String host, int port, ConnectionSettings settings, Duration limit)
            throws DeliveryException {
        var socket = connect(host, port, settings.timing().connectLimit());
        var connection = new MailConnection(host, socket, settings, limit);
        Thread.ofVirtual().name("message-limit").start(connection::enforceLimit);
        return connection;
    }

    private static MailSocket connect(String host, int port, Duration limit)
            throws DeliveryException {
        var addresses = HostResolver.allowedAddresses(host, limit);
        int millis = Math.max(1, (int) (limit.toMillis() / addresses.size()));
        String why = "";
        for (InetAddress address : addresses) {
            var socket = new MailSocket();
            try {
                // The mail library verifies a certificate against the name in this address.
                var named = InetAddress.getByAddress(host, address.getAddress());
                socket.connect(new InetSocketAddress(named, port), millis);
                return socket;
            } catch (IOException e) {
                why = String.valueOf(e.getMessage());
                closeQuietly(socket);
            }
        }
        throw new DeliveryException("cannot connect to " + host + ":" + port + ": " + why);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // A failure to close has no consequence.
        }
    }

    private void enforceLimit() {
        try {
            if (!closed.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                isTimedOut = true;
                closeQuietly(socket);
            }
        } catch (InterruptedException _) {
            closeQuietly(socket);
        }
    }

    Socket plain() {
        return socket;
    }

    /** Encrypts the connection and verifies the host name. */
    Socket encrypted() throws IOException {
        var secured =
                (SSLSocket)
                        settings.tls()
                                .getSocketFactory()
                                .createSocket(socket, host, socket.getPort(), true);
        var parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return secured;
    }

    String localAddress() {
        return socket.getLocalAddress().getHostAddress();
    }

    DeliveryException describe(IOException e) {
        if (isTimedOut) {
            return new DeliveryException(
                    host + " did not answer within " + limit.toSeconds() + " s");
        }
        return new DeliveryException(
                e instanceof SSLException
                        ? "no safe way to " + host + ": " + e.getMessage()
                        : host + " broke off: " + e.getMessage());
    }

    @Override
    public void close() {
        closed.countDown();
        closeQuietly(socket);
    }
}
